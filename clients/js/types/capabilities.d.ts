declare global {
  /**
   * The app's capabilities by id: `{ arguments, result }` each. `python -m rollcall types` writes a
   * file that fills it; without one, any id is taken.
   */
  interface RollcallCapabilities {}
}

type Known = keyof RollcallCapabilities;

/** The ids that `call` takes. */
export type CapabilityId = [Known] extends [never] ? string : Known;

/** What a capability takes. */
export type ArgumentsOf<Id> = Id extends Known
  ? RollcallCapabilities[Id] extends { arguments: infer Arguments }
    ? Arguments
    : never
  : Record<string, any>;

/** What a capability returns. */
export type ResultOf<Id> = Id extends Known
  ? RollcallCapabilities[Id] extends { result: infer Result }
    ? Result
    : never
  : any;
