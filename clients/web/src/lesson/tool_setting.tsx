/** One tool of a lesson: on or off, when it may fire, and what the teacher asks of it. */

import { useId } from "preact/hooks";

import { type LessonTool, newTrigger, type ToolSetting, type TriggerChoice, type TriggerField } from "./configuration.js";
import { Field, useRefusal } from "./field.js";
import { Keywords } from "./keywords.js";
import { say } from "./texts.js";

interface Props {
  tool: LessonTool;
  setting: ToolSetting;
  /** Where the server's refusals place it. */
  at: string;
  mostChars: number;
  /** Whether it was the server that switched it on. */
  isAutomatic: boolean;
  onChange: (setting: ToolSetting) => void;
}

export function ToolRow({ tool, setting, at, mostChars, isAutomatic, onChange }: Props) {
  const id = useId();
  const { enabled, triggerCondition, customInstructions } = setting;
  const trigger = tool.triggers.find(({ type }) => type === triggerCondition.type);
  const refused = useRefusal(`${at}.toolId`);
  return (
    <div class="tool" data-enabled={enabled || undefined} role="group" aria-labelledby={`${id}-name`}>
      <label class="tool-switch">
        <input
          type="checkbox"
          role="switch"
          checked={enabled}
          aria-describedby={`${id}-about`}
          onChange={(event) => onChange({ ...setting, enabled: event.currentTarget.checked })}
        />
        <span id={`${id}-name`}>{tool.name}</span>
        {enabled && isAutomatic && <span class="badge auto">{say("tool.auto")}</span>}
      </label>
      <p class="quiet tool-about" id={`${id}-about`}>
        {tool.description}
      </p>
      {refused && <p class="field-problem">{refused}</p>}
      {enabled && (
        <div class="tool-settings">
          <Field
            name={say("tool.trigger")}
            at={`${at}.triggerCondition.type`}
            note={trigger && (trigger.isChecked ? `${trigger.description} ${say("tool.checked")}` : trigger.description)}
          >
            {(about) => (
              <select
                {...about}
                value={triggerCondition.type}
                onChange={(event) => {
                  const next = tool.triggers.find(({ type }) => type === event.currentTarget.value);
                  if (next) onChange({ ...setting, triggerCondition: newTrigger(next) });
                }}
              >
                {tool.triggers.map(({ type, name }) => (
                  <option key={type} value={type}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
          {trigger?.field && (
            <TriggerEditor
              field={trigger.field}
              type={trigger.type}
              value={triggerCondition[trigger.field.name]}
              at={`${at}.triggerCondition.${trigger.field.name}`}
              onChange={(value) =>
                onChange({ ...setting, triggerCondition: { type: trigger.type, [(trigger.field as TriggerField).name]: value } })
              }
            />
          )}
          <Field
            name={say("tool.instructions")}
            at={`${at}.customInstructions`}
            note={say("editor.chars", { count: (customInstructions ?? "").length, most: mostChars })}
          >
            {(about) => (
              <textarea
                {...about}
                rows={2}
                dir="auto"
                value={customInstructions ?? ""}
                onInput={(event) => onChange({ ...setting, customInstructions: event.currentTarget.value || null })}
              />
            )}
          </Field>
        </div>
      )}
    </div>
  );
}

interface EditorProps {
  field: TriggerField;
  type: TriggerChoice["type"];
  value: string[] | number | undefined;
  at: string;
  onChange: (value: string[] | number | null) => void;
}

/** What a trigger needs: words, a number, or one of some numbers. */
function TriggerEditor({ field, value, at, onChange }: EditorProps) {
  if (field.type === "texts") {
    return <Keywords field={field} at={at} words={(value as string[] | undefined) ?? []} onChange={onChange} />;
  }
  return (
    <Field name={field.label} at={at}>
      {(about) =>
        field.type === "choice" ? (
          <select {...about} value={String(value)} onChange={(event) => onChange(Number(event.currentTarget.value))}>
            {field.choices?.map((each) => (
              <option key={each} value={String(each)}>
                {each}
              </option>
            ))}
          </select>
        ) : (
          <input
            {...about}
            type="number"
            class="lesson-number"
            min={field.minimum ?? undefined}
            max={field.maximum ?? undefined}
            value={value as number}
            onInput={({ currentTarget: { value: words } }) => onChange(words === "" ? null : Number(words))}
          />
        )
      }
    </Field>
  );
}

