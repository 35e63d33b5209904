/** The elements, defined when this is imported. */

import { ActivityElement } from "./activity_element.js";
import { ApprovalsElement } from "./approvals_element.js";
import { ChatElement } from "./chat_element.js";
import { LessonElement } from "./lesson_element.js";

export { useFirebase } from "./element.js";
export { ActivityElement, ApprovalsElement, ChatElement, LessonElement };

if (!customElements.get("rollcall-chat")) customElements.define("rollcall-chat", ChatElement);
if (!customElements.get("rollcall-approvals")) {
  customElements.define("rollcall-approvals", ApprovalsElement);
}
if (!customElements.get("rollcall-activity")) {
  customElements.define("rollcall-activity", ActivityElement);
}
if (!customElements.get("rollcall-lesson")) customElements.define("rollcall-lesson", LessonElement);
