/** The form of a lesson: what it is about, which tools its tutor has, and what that comes to. */

import { useEffect, useRef } from "preact/hooks";

import { ProblemNote } from "../chat/problem_note.js";
import { problemOf } from "../chat/problems.js";
import { LOCALES, locale, nameOf, number, text } from "../text/locale.js";
import { type Catalogue, enabledIn, presetOf, settingOf } from "./configuration.js";
import { Estimate } from "./estimate.js";
import { Field, Refusal } from "./field.js";
import { type Lesson, LessonDraft } from "./lesson_draft.js";
import type { PanelProps } from "./panel.js";
import { type Course, coursesOf, useDocuments } from "./stored.js";
import { Tasks } from "./tasks.js";
import { say } from "./texts.js";
import { ToolRow } from "./tool_setting.js";

export function MissionEditor({ connection, go, onSaved, id }: PanelProps & { id?: string }) {
  const held = useRef<LessonDraft | undefined>(undefined);
  const shown = useRef(id);
  // A new lesson that was saved has its id in the address from then on, and stays the same form.
  const isOther = id !== shown.current && id !== held.current?.missionId;
  if (!held.current || isOther) held.current = new LessonDraft(connection, id);
  shown.current = id;
  const draft = held.current;
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    void draft.open();
    return () => draft.close();
  }, [draft, locale.value]);
  const [lesson, catalogue, problem] = [draft.lesson.value, draft.catalogue.value, draft.problem.value];
  const refusal = draft.refusal.value;
  if (problem) {
    return <ProblemNote problem={problemOf(problem)} retry="app.try_again" onRetry={() => void draft.open()} />;
  }
  if (!lesson || !catalogue) return <p class="quiet loading">{text("app.loading")}</p>;
  const save = async () => {
    const saved = await draft.save();
    if (saved) onSaved?.(saved);
    if (saved && saved !== id) go(`edit.${saved}`, { isSame: true });
    if (!saved) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  };
  return (
    <Refusal.Provider value={refusal}>
      <form
        ref={form}
        class="editor"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <div class="editor-fields">
          <About draft={draft} lesson={lesson} catalogue={catalogue} connection={connection} />
          <Tools draft={draft} lesson={lesson} catalogue={catalogue} />
        </div>
        <aside class="editor-side" aria-label={say("estimate.title")}>
          <Estimate draft={draft} catalogue={catalogue} />
          {refusal && <p class="note bad" dir="auto">{refusal.field ? say("editor.refused") : refusal.message}</p>}
          <button class="button primary wide" disabled={draft.isSaving.value || (draft.isSaved.value && !!lesson.missionId)}>
            {say("editor.save")}
          </button>
          {lesson.missionId && (
            <div class="row">
              <button type="button" class="button small" disabled={!draft.isSaved.value} onClick={() => go(`lesson.${lesson.missionId}`)}>
                {say("editor.try")}
              </button>
              <button type="button" class="button small" onClick={() => go(`report.${lesson.missionId}`)}>
                {say("missions.report")}
              </button>
            </div>
          )}
        </aside>
      </form>
    </Refusal.Provider>
  );
}

interface PartProps {
  draft: LessonDraft;
  lesson: Lesson;
  catalogue: Catalogue;
}

function About({ draft, lesson, catalogue, connection }: PartProps & Pick<PanelProps, "connection">) {
  const { uid } = connection;
  const courses = useDocuments<Course>(connection, `courses ${uid}`, coursesOf(uid)).value.value ?? [];
  const { limits } = catalogue;
  return (
    <section class="editor-part">
      <h2>{say(lesson.missionId ? "editor.edit" : "editor.new")}</h2>
      <Field name={say("editor.title")} at="title">
        {(about) => (
          <input
            {...about}
            dir="auto"
            maxLength={limits.titleChars}
            value={lesson.title}
            onInput={(event) => draft.change({ title: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field
        name={say("editor.prompt")}
        at="conversationPrompt"
        note={say("editor.chars", { count: lesson.conversationPrompt.length, most: limits.promptChars })}
      >
        {(about) => (
          <textarea
            {...about}
            rows={6}
            dir={lesson.conversationPrompt ? "auto" : undefined}
            placeholder={say("editor.prompt.example")}
            value={lesson.conversationPrompt}
            onInput={(event) => draft.change({ conversationPrompt: event.currentTarget.value })}
          />
        )}
      </Field>
      <div class="editor-pair">
        <Field name={say("editor.course")} at="courseId">
          {(about) => (
            <select
              {...about}
              value={lesson.courseId ?? ""}
              onChange={(event) => draft.change({ courseId: event.currentTarget.value || null })}
            >
              {(!lesson.courseId || !lesson.missionId) && <option value="">{say("missions.no_course")}</option>}
              {courses.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field name={say("editor.type")} at="lessonType">
          {(about) => (
            <select {...about} value={lesson.lessonType} onChange={(event) => draft.change({ lessonType: event.currentTarget.value })}>
              {catalogue.lessonTypes.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field name={say("editor.level")} at="level">
          {(about) => (
            <select {...about} value={lesson.level} onChange={(event) => draft.change({ level: event.currentTarget.value })}>
              {catalogue.levels.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          )}
        </Field>
        <Field name={say("editor.minutes")} at="durationMinutes">
          {(about) => (
            <input
              {...about}
              type="number"
              min={limits.minMinutes}
              max={limits.maxMinutes}
              value={lesson.durationMinutes}
              onInput={(event) => draft.change({ durationMinutes: event.currentTarget.valueAsNumber || 0 })}
            />
          )}
        </Field>
        <Field name={say("editor.language")} at="lessonLocale">
          {(about) => (
            <select {...about} value={lesson.lessonLocale} onChange={(event) => draft.change({ lessonLocale: event.currentTarget.value })}>
              {LOCALES.map((each) => (
                <option key={each} value={each}>
                  {nameOf(each)}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <Tasks tasks={lesson.tasks} limits={limits} onChange={(tasks) => draft.change({ tasks })} />
    </section>
  );
}

function Tools({ draft, lesson, catalogue }: PartProps) {
  const configuration = lesson.toolConfiguration;
  const preset = presetOf(configuration, catalogue);
  const { limits } = catalogue;
  const count = enabledIn(configuration).length;
  const at = (toolId: string) => `toolConfiguration.tools.${configuration.tools.findIndex((each) => each.toolId === toolId)}`;
  return (
    <section class="editor-part">
      <div class="row spread">
        <h2>{say("tools.title")}</h2>
        <span class="quiet" role="status">
          {say("tools.enabled", { count: number(count), all: number(catalogue.tools.length) })}
        </span>
      </div>
      <Field
        name={say("tools.preset")}
        at="preset"
        note={catalogue.presets.find(({ id }) => id === preset)?.description}
      >
        {(about) => (
          <select
            {...about}
            value={preset ?? ""}
            onChange={(event) => {
              const chosen = catalogue.presets.find(({ id }) => id === event.currentTarget.value);
              if (chosen) draft.use(chosen.toolConfiguration, say("tools.preset.used", { name: chosen.name }));
            }}
          >
            {!preset && <option value="">{say("tools.preset.own")}</option>}
            {catalogue.presets.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      {catalogue.categories.map(({ id, name }) => (
        <fieldset key={id} class="tools">
          <legend>{name}</legend>
          {catalogue.tools
            .filter(({ category }) => category === id)
            .map((tool) => (
              <ToolRow
                key={tool.toolId}
                tool={tool}
                setting={settingOf(configuration, tool)}
                at={at(tool.toolId)}
                mostChars={limits.customInstructionsChars}
                isAutomatic={draft.automatic.value.has(tool.toolId)}
                onChange={(setting) => draft.set(setting)}
              />
            ))}
        </fieldset>
      ))}
      <Field
        name={say("tools.instructions")}
        at="toolConfiguration.globalInstructions"
        note={say("editor.chars", {
          count: (configuration.globalInstructions ?? "").length,
          most: limits.globalInstructionsChars,
        })}
      >
        {(about) => (
          <textarea
            {...about}
            rows={2}
            dir="auto"
            value={configuration.globalInstructions ?? ""}
            onInput={(event) =>
              draft.change({
                toolConfiguration: { ...configuration, globalInstructions: event.currentTarget.value || null },
              })
            }
          />
        )}
      </Field>
    </section>
  );
}

