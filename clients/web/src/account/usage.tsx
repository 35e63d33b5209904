/** The user's usage: today, in thirty days, and what is left of the budget. */

import type { RollcallError } from "@rollcall/client";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { ProblemNote } from "../chat/problem_note.js";
import { problemOf } from "../chat/problems.js";
import { invoke } from "../firebase/calls.js";
import type { Connection } from "../firebase/connection.js";
import { dateTime, number, text, usd } from "../text/locale.js";

interface Spent {
  usd: number;
  tokens: number;
  models: { model: string; calls: number; inputTokens: number; outputTokens: number; usd: number }[];
}

/** The result of `my_usage`. */
interface UsageReport {
  today: Spent;
  last30Days: Spent;
  limits: { usdPerDay?: number | null; tokensPerDay?: number | null };
  left: { usd?: number | null; tokens?: number | null };
  renewsAt: string;
}

export function Usage({ connection }: { connection: Connection }) {
  const report = useSignal<UsageReport | undefined>(undefined);
  const error = useSignal<RollcallError | undefined>(undefined);
  const load = async () => {
    error.value = undefined;
    try {
      report.value = await invoke<UsageReport>(connection, "my_usage", {});
    } catch (cause) {
      error.value = cause as RollcallError;
    }
  };
  useEffect(() => void load(), []);
  const known = report.value;
  return (
    <div class="page">
      <h1>{text("usage.title")}</h1>
      <p class="quiet">{text("usage.lead")}</p>
      {error.value && <ProblemNote problem={problemOf(error.value)} retry="app.try_again" onRetry={() => void load()} />}
      {!known && !error.value && <p class="quiet loading">{text("app.loading")}</p>}
      {known && (
        <>
          <div class="figures">
            <Figure
              name={text("usage.money")}
              used={known.today.usd}
              limit={known.limits.usdPerDay}
              left={known.left.usd}
              write={usd}
            />
            <Figure
              name={text("usage.tokens")}
              used={known.today.tokens}
              limit={known.limits.tokensPerDay}
              left={known.left.tokens}
              write={number}
            />
          </div>
          <p class="quiet">{text("usage.renews", { when: dateTime(new Date(known.renewsAt)) })}</p>
          <h2>{text("usage.days")}</h2>
          <Models spent={known.last30Days} />
        </>
      )}
    </div>
  );
}

function Figure({
  name,
  used,
  limit,
  left,
  write,
}: {
  name: string;
  used: number;
  limit: number | null | undefined;
  left: number | null | undefined;
  write: (value: number) => string;
}) {
  const hasLimit = limit !== undefined && limit !== null;
  return (
    <div class="figure">
      <h2>{name}</h2>
      <p class="amount">{write(used)}</p>
      {hasLimit && <meter min={0} max={limit} value={Math.min(used, limit)} aria-label={name} />}
      <p class="quiet">
        {hasLimit
          ? text("usage.left", { left: write(left ?? 0), limit: write(limit) })
          : text("usage.no_limit")}
      </p>
    </div>
  );
}

function Models({ spent }: { spent: Spent }) {
  if (!spent.models.length) return <p class="quiet">{text("usage.nothing")}</p>;
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label={text("usage.days")}>
      <table>
        <thead>
          <tr>
            <th scope="col">{text("usage.model")}</th>
            <th scope="col">{text("usage.calls")}</th>
            <th scope="col">{text("usage.tokens")}</th>
            <th scope="col">{text("usage.money")}</th>
          </tr>
        </thead>
        <tbody>
          {spent.models.map((each) => (
            <tr key={each.model}>
              <th scope="row">
                <bdi>{each.model}</bdi>
              </th>
              <td>{number(each.calls)}</td>
              <td>{number(each.inputTokens + each.outputTokens)}</td>
              <td>{usd(each.usd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
