/** Components of answers, for the time before their script is there as well. */

import { later } from "../app/later.js";
import type { ChatApprovalsProps } from "../approvals/chat_approvals.js";
import type { CitationsProps } from "../cards/citations.js";
import type { ToolCardProps } from "../cards/tool_card.js";
import type { MarkdownProps } from "../markdown/markdown.js";

export const load = () => import("./answer.js");
const nothing = () => null;

export const ChatApprovals = later<ChatApprovalsProps>(() => load().then((all) => all.ChatApprovals), nothing);
export const Citations = later<CitationsProps>(() => load().then((all) => all.Citations), nothing);
export const ToolCard = later<ToolCardProps>(() => load().then((all) => all.ToolCard), nothing);
export const Beside = later<object>(() => load().then((all) => all.Beside), nothing);
/** Until it can be read as Markdown, a text is shown as it is. */
export const Markdown = later<MarkdownProps>(
  () => load().then((all) => all.Markdown),
  ({ text }) => (
    <div class="markdown">
      <p class="plain" dir="auto">
        {text}
      </p>
    </div>
  ),
);
