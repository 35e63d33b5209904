/** The elements, defined when this is imported. */

import { ApprovalsElement } from "./approvals_element.js";
import { ChatElement } from "./chat_element.js";

export { useFirebase } from "./element.js";
export { ApprovalsElement, ChatElement };

if (!customElements.get("rollcall-chat")) customElements.define("rollcall-chat", ChatElement);
if (!customElements.get("rollcall-approvals")) {
  customElements.define("rollcall-approvals", ApprovalsElement);
}
