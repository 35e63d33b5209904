/** The list of a lesson's tasks, for the teacher to edit. */

import { useLayoutEffect, useRef } from "preact/hooks";

import { Icon } from "../app/icon.js";
import type { Catalogue } from "./configuration.js";
import { useRefusal } from "./field.js";
import type { Task } from "./documents.js";
import { say } from "./texts.js";

interface Props {
  tasks: Task[];
  limits: Catalogue["limits"];
  onChange: (tasks: Task[]) => void;
}

export function Tasks({ tasks, limits, onChange }: Props) {
  const list = useRef<HTMLOListElement>(null);
  const isAdded = useRef(false);
  useLayoutEffect(() => {
    if (isAdded.current) list.current?.querySelector<HTMLElement>("li:last-child input")?.focus();
    isAdded.current = false;
  }, [tasks.length]);
  const refused = useRefusal("tasks", say("accepts.tasks", { most: limits.maxTasks, chars: limits.taskChars }));
  const add = () => {
    const known = new Set(tasks.map(({ id }) => id));
    let at = tasks.length + 1;
    while (known.has(`task-${at}`)) at += 1;
    onChange([...tasks, { id: `task-${at}`, text: "" }]);
    isAdded.current = true;
  };
  return (
    <fieldset class="tasks">
      <legend>{say("tasks.title")}</legend>
      <ol ref={list}>
        {tasks.map((task, place) => (
          <TaskLine
            key={task.id}
            task={task}
            place={place}
            mostChars={limits.taskChars}
            onChange={(words) => onChange(tasks.map((each) => (each === task ? { ...task, text: words } : each)))}
            onRemove={() => onChange(tasks.filter((each) => each !== task))}
          />
        ))}
      </ol>
      {refused && <p class="field-problem">{refused}</p>}
      <button type="button" class="button small" disabled={tasks.length >= limits.maxTasks} onClick={add}>
        <Icon name="plus" />
        {say("tasks.add")}
      </button>
    </fieldset>
  );
}

interface LineProps {
  task: Task;
  place: number;
  mostChars: number;
  onChange: (words: string) => void;
  onRemove: () => void;
}

function TaskLine({ task, place, mostChars, onChange, onRemove }: LineProps) {
  const refused = useRefusal(`tasks.${place}`);
  return (
    <li>
      <div class="task-line">
        <input
          dir="auto"
          aria-label={say("tasks.task", { count: place + 1 })}
          aria-invalid={refused ? true : undefined}
          maxLength={mostChars}
          value={task.text}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
        <button type="button" class="icon-button small" onClick={onRemove}>
          <Icon name="close" />
          <span class="visually-hidden">{say("tasks.remove", { count: place + 1 })}</span>
        </button>
      </div>
    </li>
  );
}
