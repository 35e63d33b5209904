/** How the pupils of a teacher's courses are doing: a table, a chart, and no small group. */

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";

import css from "../../styles/activity.css?text";
import { lazy } from "../app/lazy.js";
import { useStyles } from "../app/styles.js";
import type { ChartProps } from "../cards/chart.js";
import type { Connection } from "../firebase/connection.js";
import { Line } from "../markdown/prose.js";
import { RefusalNote } from "../school/refusal.js";
import { useCall } from "../school/use_call.js";
import { direction, locale, number, text } from "../text/locale.js";
import { say } from "./texts.js";
import type { Activities, Analytics, Figure, TimeRange } from "./wire.js";

const Chart = lazy<ChartProps>(() => import("../cards/chart.js").then(({ Chart }) => Chart));
const RANGES: TimeRange[] = ["week", "month", "semester", "year"];

export function Results({ connection }: { connection: Connection }) {
  useStyles(css);
  const courseId = useSignal("");
  const range = useSignal<TimeRange | "">("");
  const [activities, loadCourses] = useCall<Activities>(connection, "list_activities", {});
  const courses = activities.value.value?.courses.filter(({ role }) => role === "teacher");
  const wanted = {
    ...(courseId.value && { courseId: courseId.value }),
    ...(range.value && { timeRange: range.value }),
  };
  const [figures, loadFigures] = useCall<Analytics>(connection, courses?.length ? "get_analytics" : undefined, wanted);
  const { value: known } = figures.value;
  const problem = activities.value.problem ?? figures.value.problem;
  return (
    <div class="page results">
      <h1>{text("results.title")}</h1>
      <p class="quiet">{say("results.lead")}</p>
      {problem && <RefusalNote error={problem} onRetry={courses ? loadFigures : loadCourses} />}
      {!courses && !problem && <p class="quiet loading">{text("app.loading")}</p>}
      {courses?.length === 0 && <p>{say("results.no_course")}</p>}
      {!!courses?.length && (
        <div class="row filters">
          <label class="field">
            <span>{say("results.course")}</span>
            <select value={courseId.value} onChange={({ currentTarget }) => (courseId.value = currentTarget.value)}>
              <option value="">{say("results.all_courses")}</option>
              {courses.map(({ courseId, name }) => (
                <option key={courseId} value={courseId}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <label class="field">
            <span>{say("results.time")}</span>
            <select
              value={range.value}
              onChange={({ currentTarget }) => (range.value = currentTarget.value as TimeRange | "")}
            >
              <option value="">{say("results.all_time")}</option>
              {RANGES.map((each) => (
                <option key={each} value={each}>
                  {say(`results.${each}`)}
                </option>
              ))}
            </select>
          </label>
        </div>
      )}
      {known && !problem && (
        <>
          <p dir="auto" class="answer">
            {known.answer}
          </p>
          {known.total && <Figures {...known} total={known.total} />}
        </>
      )}
    </div>
  );
}

function Figures({ total, byBloom, byContent, byCourse }: Analytics & { total: Figure }) {
  const groups = [
    { name: say("results.by_content"), figures: byContent },
    { name: say("results.by_bloom"), figures: byBloom },
    { name: say("results.by_course"), figures: byCourse.length > 1 ? byCourse : [] },
  ].filter(({ figures }) => figures.length);
  const charted = byContent.length > 1 ? byContent : byBloom;
  const chart = useMemo(() => chartOf(charted), [charted, locale.value]);
  return (
    <>
      {charted.length > 0 && (
        <Chart chart={chart} title={say(charted === byContent ? "results.chart_content" : "results.chart_bloom")} />
      )}
      <div class="table-frame" tabIndex={0} role="region" aria-label={text("results.title")}>
        <table>
          <thead>
            <tr>
              <th scope="col">{say("results.group")}</th>
              <th scope="col">{say("results.students")}</th>
              <th scope="col">{say("results.answers")}</th>
              <th scope="col">{say("results.percent")}</th>
            </tr>
          </thead>
          <tbody>
            <Row figure={total} />
          </tbody>
          {groups.map(({ name, figures }) => (
            <tbody key={name}>
              <tr>
                <th scope="rowgroup" colSpan={4} class="group">
                  {name}
                </th>
              </tr>
              {figures.map((figure) => (
                <Row key={figure.name} figure={figure} />
              ))}
            </tbody>
          ))}
        </table>
      </div>
      <p class="quiet">{say("results.hidden")}</p>
    </>
  );
}

function Row({ figure: { name, students, answers, percent } }: { figure: Figure }) {
  return (
    <tr>
      <th scope="row">
        <Line>{name}</Line>
      </th>
      <td>{number(students)}</td>
      <td>{number(answers)}</td>
      <td>
        <bdi>{number(percent / 100, { style: "percent" })}</bdi>
      </td>
    </tr>
  );
}

/** Bars from the side that the language is read from, whose names have room at their sides. */
function chartOf(figures: Figure[]): Record<string, unknown> {
  const isRtl = direction.value === "rtl";
  return {
    data: { values: figures.map(({ name, percent }) => ({ name, percent })) },
    mark: { type: "bar", size: 22 },
    height: Math.max(200, 40 * figures.length),
    encoding: {
      x: {
        field: "percent",
        type: "quantitative",
        title: say("results.percent"),
        scale: { domain: [0, 100], reverse: isRtl },
        axis: { values: [0, 25, 50, 75, 100] },
      },
      y: { field: "name", type: "nominal", title: null, sort: null, axis: { orient: isRtl ? "right" : "left", labelLimit: 180 } },
    },
  };
}
