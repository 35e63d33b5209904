/** A note that says what went wrong and what to do. */

import { Icon } from "../app/icon.js";
import { hrefOf } from "../app/route.js";
import { type Key, text } from "../text/locale.js";
import type { Problem } from "./problems.js";

interface Props {
  problem: Problem;
  onRetry?: () => void;
  /** What the same again is called. */
  retry?: Key;
}

export function ProblemNote({ problem, onRetry, retry = "turn.retry" }: Props) {
  return (
    <div class="problem" role="group" aria-label={problem.title}>
      <Icon name="warn" />
      <div>
        <strong>{problem.title}</strong>
        <p>{problem.advice}</p>
        <div class="row">
          {onRetry && problem.mayRetry && (
            <button class="button small" onClick={onRetry}>
              {text(retry)}
            </button>
          )}
          {problem.view && <a href={hrefOf({ view: problem.view })}>{text("usage.see")}</a>}
        </div>
      </div>
    </div>
  );
}
