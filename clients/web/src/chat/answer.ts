/** The components of answers, in one script that is loaded after the first paint. */

export { ChatApprovals } from "../approvals/chat_approvals.js";
export { SidePanel } from "../cards/side_panel.js";
export { Citations } from "../cards/citations.js";
export { ToolCard } from "../cards/tool_card.js";
export { loadTools } from "../cards/tools.js";
export { Markdown } from "../markdown/markdown.js";
