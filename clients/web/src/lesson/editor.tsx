/** The form of a lesson: its content, its tools, and the estimate of its prompt. */

import { useEffect, useRef } from "preact/hooks";

import { RefusalNote, refusalOf } from "../school/refusal.js";
import { LOCALES, locale, nameOf, number, text } from "../text/locale.js";
import { type Catalogue, enabledTools, presetOf, settingOf } from "./configuration.js";
import { Estimate } from "./estimate.js";
import { Field, Refusal, Select, TextField } from "./field.js";
import { type Lesson, LessonDraft } from "./lesson_draft.js";
import type { PanelProps } from "./panel.js";
import { type Course, coursesOf, useDocuments } from "./documents.js";
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
    return <RefusalNote error={problem} onRetry={() => void draft.open()} />;
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
          {refusal && <p class="note bad">{refusal.field ? say("editor.refused") : refusalOf(refusal).advice}</p>}
          {draft.isBehind.value && (
            <div class="note" role="status">
              <p>{say("editor.behind")}</p>
              <button type="button" class="button small" onClick={() => void draft.reload()}>
                {say("editor.reload")}
              </button>
            </div>
          )}
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
  const none = { id: "", name: say("missions.no_course") };
  return (
    <section class="editor-part">
      <h2>{say(lesson.missionId ? "editor.edit" : "editor.new")}</h2>
      <TextField
        name={say("editor.title")}
        at="title"
        accepts={say("accepts.title", { most: limits.titleChars })}
        value={lesson.title}
        maxChars={limits.titleChars}
        onInput={(title) => draft.change({ title })}
      />
      <TextField
        name={say("editor.prompt")}
        at="conversationPrompt"
        value={lesson.conversationPrompt}
        maxChars={limits.promptChars}
        rows={6}
        placeholder={say("editor.prompt.example")}
        onInput={(conversationPrompt) => draft.change({ conversationPrompt })}
      />
      <div class="editor-pair">
        <Select
          name={say("editor.course")}
          at="courseId"
          accepts={say("accepts.course")}
          value={lesson.courseId ?? ""}
          options={[...(lesson.courseId && lesson.missionId ? [] : [none]), ...courses]}
          onChange={(id) => draft.change({ courseId: id || null })}
        />
        <Select
          name={say("editor.type")}
          at="lessonType"
          value={lesson.lessonType}
          options={catalogue.lessonTypes}
          onChange={(lessonType) => draft.change({ lessonType })}
        />
        <Select
          name={say("editor.level")}
          at="level"
          value={lesson.level}
          options={catalogue.levels.map((id) => ({ id, name: id }))}
          onChange={(level) => draft.change({ level })}
        />
        <Field
          name={say("editor.minutes")}
          at="durationMinutes"
          accepts={say("accepts.number", { least: limits.minMinutes, most: limits.maxMinutes })}
        >
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
        <Select
          name={say("editor.language")}
          at="lessonLocale"
          value={lesson.lessonLocale}
          options={LOCALES.map((id) => ({ id, name: nameOf(id) }))}
          onChange={(lessonLocale) => draft.change({ lessonLocale })}
        />
      </div>
      <Tasks tasks={lesson.tasks} limits={limits} onChange={(tasks) => draft.change({ tasks })} />
    </section>
  );
}

function Tools({ draft, lesson, catalogue }: PartProps) {
  const configuration = lesson.toolConfiguration;
  const preset = presetOf(configuration, catalogue);
  const { limits } = catalogue;
  const count = enabledTools(configuration).length;
  const at = (toolId: string) => `toolConfiguration.tools.${configuration.tools.findIndex((each) => each.toolId === toolId)}`;
  return (
    <section class="editor-part">
      <div class="row spread">
        <h2>{say("tools.title")}</h2>
        <span class="quiet" role="status">
          {say("tools.enabled", { count: number(count), all: number(catalogue.tools.length) })}
        </span>
      </div>
      <Select
        name={say("tools.preset")}
        at="preset"
        note={catalogue.presets.find(({ id }) => id === preset)?.description}
        value={preset ?? ""}
        options={[...(preset ? [] : [{ id: "", name: say("tools.preset.own") }]), ...catalogue.presets]}
        onChange={(wanted) => {
          const chosen = catalogue.presets.find(({ id }) => id === wanted);
          if (chosen) draft.use(chosen.toolConfiguration, say("tools.preset.used", { name: chosen.name }));
        }}
      />
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
      <TextField
        name={say("tools.instructions")}
        at="toolConfiguration.globalInstructions"
        value={configuration.globalInstructions ?? ""}
        maxChars={limits.globalInstructionsChars}
        rows={2}
        onInput={(words) => draft.change({ toolConfiguration: { ...configuration, globalInstructions: words || null } })}
      />
    </section>
  );
}

