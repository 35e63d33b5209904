/** The setting of one tool: on or off, its trigger, and the teacher's instructions. */

import { useId } from "preact/hooks";

import { number } from "../text/locale.js";
import { type LessonTool, newTrigger, type ToolSetting, type TriggerChoice, type TriggerField } from "./configuration.js";
import { Field, Select, TextField, useRefusal } from "./field.js";
import { Keywords } from "./keywords.js";
import { say } from "./texts.js";

interface Props {
  tool: LessonTool;
  setting: ToolSetting;
  /** The setting's path in the server's refusals. */
  at: string;
  mostChars: number;
  /** Whether the server enabled it. */
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
          <Select
            name={say("tool.trigger")}
            at={`${at}.triggerCondition.type`}
            note={trigger && (trigger.isChecked ? `${trigger.description} ${say("tool.checked")}` : trigger.description)}
            value={triggerCondition.type}
            options={tool.triggers.map(({ type, name }) => ({ id: type, name }))}
            onChange={(wanted) => {
              const next = tool.triggers.find(({ type }) => type === wanted);
              if (next) onChange({ ...setting, triggerCondition: newTrigger(next) });
            }}
          />
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
          <TextField
            name={say("tool.instructions")}
            at={`${at}.customInstructions`}
            value={customInstructions ?? ""}
            maxChars={mostChars}
            rows={2}
            onInput={(words) => onChange({ ...setting, customInstructions: words || null })}
          />
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
  if (field.type === "choice") {
    const options = (field.choices ?? []).map((each) => ({ id: String(each), name: number(each) }));
    return <Select name={field.label} at={at} value={String(value)} options={options} onChange={(id) => onChange(Number(id))} />;
  }
  const [least, most] = [field.minimum ?? 0, field.maximum ?? 0];
  return (
    <Field name={field.label} at={at} accepts={say("accepts.number", { least, most })}>
      {(about) => (
        <input
          {...about}
          type="number"
          class="lesson-number"
          min={least}
          max={most}
          value={value as number}
          onInput={({ currentTarget: { value: words } }) => onChange(words === "" ? null : Number(words))}
        />
      )}
    </Field>
  );
}
