/** Words that a teacher adds and takes away, each by itself. */

import { useRef, useState } from "preact/hooks";

import { Icon } from "../app/icon.js";
import type { TriggerField } from "./configuration.js";
import { Field } from "./field.js";
import { say } from "./texts.js";

interface Props {
  field: TriggerField;
  at: string;
  words: string[];
  onChange: (words: string[]) => void;
}

export function Keywords({ field, at, words, onChange }: Props) {
  const [typed, setTyped] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const add = () => {
    const added = typed.split(/[,\n]/).map((each) => each.trim()).filter(Boolean);
    if (added.length) onChange([...words, ...added]);
    setTyped("");
  };
  return (
    <Field
      name={field.label}
      at={at}
      accepts={say("accepts.keywords", { most: field.maxItems ?? 0, chars: field.maxChars ?? 0 })}
      note={say("keywords.note", { count: words.length, most: field.maxItems ?? 0 })}
    >
      {(about) => (
        <div class="keywords">
          {words.map((word, place) => (
            <span class="keyword" key={place}>
              <bdi>{word}</bdi>
              <button
                type="button"
                onClick={() => {
                  onChange(words.filter((_, other) => other !== place));
                  input.current?.focus();
                }}
              >
                <Icon name="close" />
                <span class="visually-hidden">{say("keywords.remove", { word })}</span>
              </button>
            </span>
          ))}
          <input
            {...about}
            ref={input}
            dir={typed ? "auto" : undefined}
            maxLength={field.maxChars ?? undefined}
            placeholder={say("keywords.add")}
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
            onBlur={add}
            onKeyDown={(event) => {
              if (event.isComposing) return;
              if (event.key === "Enter" || event.key === ",") {
                event.preventDefault();
                add();
              } else if (event.key === "Backspace" && !typed && words.length) onChange(words.slice(0, -1));
            }}
          />
        </div>
      )}
    </Field>
  );
}
