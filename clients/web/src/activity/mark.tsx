/** Whether something is right, by a sign and in words. */

import { Icon } from "../app/icon.js";
import { say } from "./texts.js";

export function Mark({ isRight }: { isRight: boolean | undefined }) {
  if (isRight === undefined) return null;
  return (
    <span class="verdict" data-right={isRight}>
      <Icon name={isRight ? "check" : "close"} />
      <span class="visually-hidden">{say(isRight ? "mark.right" : "mark.wrong")}</span>
    </span>
  );
}
