/** The tutor's summary of a lesson. */

import type { Summary } from "./documents.js";
import { say } from "./texts.js";

export function SummaryCard({ summary: { strengths, improvements, encouragement } }: { summary: Summary }) {
  return (
    <section class="summary">
      <h3>{say("summary.title")}</h3>
      {encouragement && (
        <p>
          <bdi>{encouragement}</bdi>
        </p>
      )}
      <Points name={say("summary.strengths")} points={strengths} />
      <Points name={say("summary.improvements")} points={improvements} />
    </section>
  );
}

function Points({ name, points }: { name: string; points: string[] }) {
  if (!points.length) return null;
  return (
    <>
      <h4>{name}</h4>
      <ul>
        {points.map((each) => (
          <li key={each}>
            <bdi>{each}</bdi>
          </li>
        ))}
      </ul>
    </>
  );
}
