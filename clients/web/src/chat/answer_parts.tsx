/** The components of answers, loaded lazily with placeholders. */

import { lazy } from "../app/lazy.js";
import type { ChatApprovalsProps } from "../approvals/chat_approvals.js";
import type { CitationsProps } from "../cards/citations.js";
import type { ToolCardProps } from "../cards/tool_card.js";
import type { MarkdownProps } from "../markdown/markdown.js";

export const load = () => import("./answer.js");
const nothing = () => null;

export const ChatApprovals = lazy<ChatApprovalsProps>(() => load().then((all) => all.ChatApprovals), nothing);
export const Citations = lazy<CitationsProps>(() => load().then((all) => all.Citations), nothing);
export const ToolCard = lazy<ToolCardProps>(() => load().then((all) => all.ToolCard), nothing);
export const Beside = lazy<object>(() => load().then((all) => all.SidePanel), nothing);
/** Until it can be read as Markdown, a text is shown as it is. */
export const Markdown = lazy<MarkdownProps>(
  () => load().then((all) => all.Markdown),
  ({ text }) => (
    <div class="markdown">
      <p class="plain" dir="auto">
        {text}
      </p>
    </div>
  ),
);
