/** A field of a form with its name, a note, and what the server says is wrong with it. */

import type { RollcallError } from "@rollcall/client";
import { type ComponentChild, createContext } from "preact";
import { useContext, useId } from "preact/hooks";

/** What the server refuses of the form around, if anything. */
export const Refusal = createContext<RollcallError | undefined>(undefined);

interface About {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean | undefined;
}

interface Props {
  name: string;
  /** Where the server's refusals place it, such as `tasks` or `toolConfiguration.tools.0`. */
  at?: string | undefined;
  note?: string | undefined;
  children: (about: About) => ComponentChild;
}

export function Field({ name, at, note, children }: Props) {
  const id = useId();
  const refused = useRefusal(at);
  const isNoted = refused !== undefined || note !== undefined;
  return (
    <div class="field lesson-field">
      <label for={id}>{name}</label>
      {children({
        id,
        "aria-describedby": isNoted ? `${id}-note` : undefined,
        "aria-invalid": refused ? true : undefined,
      })}
      {isNoted && (
        <p id={`${id}-note`} class={refused ? "field-problem" : "quiet"} dir="auto">
          {refused ?? note}
        </p>
      )}
    </div>
  );
}

/** What is said of a field or of a part of it. */
export function useRefusal(at: string | undefined): string | undefined {
  const refusal = useContext(Refusal);
  const field = refusal?.field?.replace(/^arguments\./, "");
  if (!refusal || at === undefined || (field !== at && !field?.startsWith(`${at}.`))) return undefined;
  return [refusal.message, refusal.hint].filter(Boolean).join("; ");
}
