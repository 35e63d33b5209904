/** What a tool of the workspace refuses, in words for the model and for a person. */
export class WorkspaceError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "WorkspaceError";
  }
}
