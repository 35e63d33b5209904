/** The estimate of a lesson's prompt: its tokens, the optimiser's savings, and the prompt itself. */

import { Icon } from "../app/icon.js";
import { number } from "../text/locale.js";
import { type Catalogue, enabledTools } from "./configuration.js";
import type { LessonDraft } from "./lesson_draft.js";
import { say } from "./texts.js";

export function Estimate({ draft, catalogue }: { draft: LessonDraft; catalogue: Catalogue }) {
  const preview = draft.preview.value;
  if (!preview) return draft.refusal.value ? null : <p class="quiet">{say("estimate.none")}</p>;
  const { estimatedTokens: tokens, optimisation, warnings, systemPrompt } = preview;
  const enabled = draft.lesson.value ? enabledTools(draft.lesson.value.toolConfiguration) : [];
  return (
    <div class="estimate">
      <p class="amount">
        <data value={tokens.total}>≈ {number(tokens.total)}</data>
      </p>
      <p class="quiet">{say("estimate.tokens")}</p>
      <dl>
        <div>
          <dt>{say("estimate.prompt")}</dt>
          <dd>{number(tokens.prompt)}</dd>
        </div>
        <div>
          <dt>{say("estimate.declarations")}</dt>
          <dd>{number(tokens.declarations)}</dd>
        </div>
        <div>
          <dt>{say("estimate.saved")}</dt>
          <dd>
            {number(optimisation.savedTokens)} ({number(optimisation.savingsPercent / 100, { style: "percent", maximumFractionDigits: 1 })})
          </dd>
        </div>
        <div>
          <dt>{say("estimate.tools")}</dt>
          <dd>{say("estimate.of", { count: number(enabled.length), all: number(catalogue.tools.length) })}</dd>
        </div>
      </dl>
      {warnings.map((each) => (
        <p key={each} class="note" dir="auto">
          {each}
        </p>
      ))}
      <details class="prompt">
        <summary>
          <Icon name="file" />
          {say("estimate.show")}
        </summary>
        <pre dir="auto" tabIndex={0} role="region" aria-label={say("estimate.show")}>{systemPrompt}</pre>
      </details>
    </div>
  );
}
