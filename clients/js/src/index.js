/** Talk to Rollcall agents from browsers and Node. */

export { RollcallError, toRollcallError } from "./errors.js";
export { PartialJson, PartialJsonError } from "./partial_json.js";
export { Rollcall } from "./rollcall.js";
export { Run } from "./run.js";

/** @typedef {import("./approvals.js").Approval} Approval */
/** @typedef {import("./attachments.js").Sending} Sending */
/** @typedef {import("./client_tools.js").CallContext} CallContext */
/** @typedef {import("./client_tools.js").ClientTool} ClientTool */
/** @typedef {import("./client_tools.js").ClientTools} ClientTools */
/** @typedef {import("./run_stream.js").RetryPolicy} RetryPolicy */
/** @typedef {import("./decisions.js").Decide} Decide */
/** @typedef {import("./events.js").AgentEvent} AgentEvent */
/** @typedef {import("./log.js").Entry} Entry */
/** @typedef {import("./log.js").Page} Page */
/** @typedef {import("./log.js").Place} Place */
/** @typedef {import("./rollcall.js").AgentRequest} AgentRequest */
/** @typedef {import("./threads.js").Thread} Thread */
/** @typedef {import("./transcript.js").ShownCall} ShownCall */
/** @typedef {import("../types/wire.js").Decision} Decision */
/** @typedef {import("../types/wire.js").Interrupt} Interrupt */
/** @typedef {import("../types/wire.js").RunResult} RunResult */
