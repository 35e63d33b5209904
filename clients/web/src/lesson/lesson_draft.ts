/** The state of the lesson form: the lesson being edited, and the server's preview of it. */

import type { RollcallError } from "@rollcall/client";
import { batch, computed, signal } from "@preact/signals";
import { doc, onSnapshot } from "firebase/firestore";

import { toast } from "../app/toast.js";
import type { Connection } from "../firebase/connection.js";
import { toastRefusal } from "../school/refusal.js";
import { locale } from "../text/locale.js";
import { call } from "../firebase/calls.js";
import { type Catalogue, newlyEnabled, type ToolConfiguration, type ToolSetting, withSetting } from "./configuration.js";
import type { Task } from "./documents.js";
import { say } from "./texts.js";

/** How long after the last change the preview is requested. */
const QUIET_MS = 350;

/** A lesson as `configure_lesson` takes it. */
export interface Lesson {
  missionId?: string;
  title: string;
  conversationPrompt: string;
  courseId: string | null;
  level: string;
  durationMinutes: number;
  tasks: Task[];
  lessonType: string;
  lessonLocale: string;
  toolConfiguration: ToolConfiguration;
}

/** What `preview_lesson` says. */
export interface Preview {
  systemPrompt: string;
  functionDeclarations: { name: string }[];
  estimatedTokens: { prompt: number; declarations: number; total: number };
  optimisation: { originalTokens: number; optimisedTokens: number; savedTokens: number; savingsPercent: number };
  warnings: string[];
  toolConfiguration: ToolConfiguration;
  changes: string[];
}

/** What `configure_lesson` says. */
interface Saved {
  missionId: string;
  done: string;
  updatedAt: string;
  toolConfiguration: ToolConfiguration;
  changes: string[];
}

export class LessonDraft {
  readonly lesson = signal<Lesson | undefined>(undefined);
  readonly catalogue = signal<Catalogue | undefined>(undefined);
  readonly preview = signal<Preview | undefined>(undefined);
  /** The server's refusal, from saving or else from the preview. */
  readonly refusal = computed(() => this.#saveRefusal.value ?? this.#previewRefusal.value);
  readonly #saveRefusal = signal<RollcallError | undefined>(undefined);
  readonly #previewRefusal = signal<RollcallError | undefined>(undefined);
  /** The error that prevented loading. */
  readonly problem = signal<RollcallError | undefined>(undefined);
  /** Tools that the server enabled, until the teacher sets them. */
  readonly automatic = signal<ReadonlySet<string>>(new Set());
  readonly isSaving = signal(false);
  readonly isSaved = signal(true);
  /** Whether it was saved elsewhere since it was loaded or saved here. */
  readonly isBehind = computed(() => !this.isSaving.value && this.#storedAt.value > this.#savedAt.value);
  /** When the lesson that is stored was saved, and the one that stands here, in ms of the epoch. */
  readonly #storedAt = signal(0);
  readonly #savedAt = signal(0);
  readonly #connection: Connection;
  readonly #missionId: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The number of the newest change; previews of older ones are ignored. */
  #version = 0;
  #callKey = crypto.randomUUID();
  /** What ends with the form: what can be taken back, and what is followed. */
  #ends: (() => void)[] = [];
  #isClosed = false;

  constructor(connection: Connection, missionId?: string) {
    this.#connection = connection;
    this.#missionId = missionId;
  }

  /** The lesson's id; undefined until it was saved once. */
  get missionId(): string | undefined {
    return this.lesson.peek()?.missionId ?? this.#missionId;
  }

  /** Read the catalogue in the user's language, and the lesson where it is not there yet. */
  async open(): Promise<void> {
    this.problem.value = undefined;
    this.#isClosed = false;
    try {
      const id = this.missionId;
      if (id) await this.#follow(id);
      const storedAt = this.#storedAt.peek();
      const [catalogue, stored] = await Promise.all([
        call<Catalogue>(this.#connection, "list_lesson_tools", {}),
        id && !this.lesson.value ? call<Lesson>(this.#connection, "get_lesson", { missionId: id }) : undefined,
      ]);
      const [first] = catalogue.presets;
      if (stored) this.#savedAt.value = storedAt;
      batch(() => {
        this.catalogue.value = catalogue;
        this.lesson.value ??= stored ?? {
          title: "",
          conversationPrompt: "",
          courseId: null,
          level: "A2",
          durationMinutes: 20,
          tasks: [],
          lessonType: catalogue.lessonTypes[0]?.id ?? "standard",
          lessonLocale: locale.value,
          toolConfiguration: first?.toolConfiguration ?? { tools: [] },
        };
      });
      await this.#ask();
    } catch (error) {
      this.problem.value = error as RollcallError;
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#version += 1;
    this.#isClosed = true;
    for (const end of this.#ends.splice(0)) end();
  }

  /** Replace the form's content with the stored lesson. */
  async reload(): Promise<void> {
    this.close();
    [this.lesson.value, this.isSaved.value] = [undefined, true];
    await this.open();
  }

  /** Follow when the lesson is saved, here and elsewhere; it is known once this has returned. */
  async #follow(missionId: string): Promise<void> {
    const { db } = await this.#connection.store();
    if (this.#isClosed) return;
    await new Promise<void>((resolve, reject) => {
      const know = (at = 0) => resolve(void (this.#storedAt.value = Math.floor(at)));
      const mission = doc(db, "missions", missionId);
      this.#ends.push(onSnapshot(mission, (found) => know(found.get("updatedAt")?.toMillis()), reject));
    });
  }

  change(fields: Partial<Lesson>): void {
    if (!this.lesson.value) return;
    this.lesson.value = { ...this.lesson.value, ...fields };
    this.isSaved.value = false;
    this.#saveRefusal.value = undefined;
    this.#version += 1;
    this.#callKey = crypto.randomUUID();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#ask(), QUIET_MS);
  }

  set(setting: ToolSetting): void {
    const { lesson } = this;
    this.automatic.value = new Set([...this.automatic.value].filter((each) => each !== setting.toolId));
    if (lesson.value) this.change({ toolConfiguration: withSetting(lesson.value.toolConfiguration, setting) });
  }

  /** Replace the tools, with an undo action. */
  use(configuration: ToolConfiguration, told: string): void {
    const before = this.lesson.value?.toolConfiguration;
    if (!before) return;
    this.automatic.value = new Set();
    this.change({ toolConfiguration: { ...before, tools: configuration.tools } });
    this.#tell(told, () => this.change({ toolConfiguration: before }));
  }

  /** Save the lesson; returns its id, or undefined if it was refused. */
  async save(): Promise<string | undefined> {
    const lesson = this.lesson.value;
    if (!lesson || this.isSaving.value) return undefined;
    const version = this.#version;
    this.isSaving.value = true;
    try {
      const { courseId, ...fields } = lesson;
      const args = { ...fields, ...(courseId && { courseId }) };
      const saved = await call<Saved>(this.#connection, "configure_lesson", args, { callKey: this.#callKey });
      this.#savedAt.value = Date.parse(saved.updatedAt);
      if (!lesson.missionId) void this.#follow(saved.missionId);
      // What was typed meanwhile belongs to the lesson that there is now.
      if (this.lesson.value) this.lesson.value = { ...this.lesson.value, missionId: saved.missionId };
      if (version === this.#version) {
        [this.#saveRefusal.value, this.#previewRefusal.value] = [undefined, undefined];
        this.#take(lesson.toolConfiguration, saved.toolConfiguration, saved.changes);
        this.isSaved.value = true;
      }
      toast(saved.done);
      return saved.missionId;
    } catch (error) {
      const refusal = error as RollcallError;
      this.#saveRefusal.value = refusal;
      if (!refusal.field) toastRefusal(error);
      return undefined;
    } finally {
      this.isSaving.value = false;
    }
  }

  async #ask(): Promise<void> {
    const lesson = this.lesson.value;
    if (!lesson) return;
    const version = this.#version;
    const { conversationPrompt, tasks, durationMinutes, level, lessonType, lessonLocale } = lesson;
    const { toolConfiguration } = lesson;
    const about = { conversationPrompt, tasks, durationMinutes, lessonType, lessonLocale, toolConfiguration };
    try {
      const preview = await call<Preview>(this.#connection, "preview_lesson", { ...about, targetLevel: level });
      if (version !== this.#version) return;
      batch(() => {
        this.preview.value = preview;
        this.#previewRefusal.value = undefined;
        this.#take(toolConfiguration, preview.toolConfiguration, preview.changes);
      });
    } catch (error) {
      if (version === this.#version) this.#previewRefusal.value = error as RollcallError;
    }
  }

  /** Apply the tools that the server enabled, with a toast that can undo it. */
  #take(before: ToolConfiguration, after: ToolConfiguration, changes: string[]): void {
    const added = newlyEnabled(before, after);
    if (!added.length || !this.lesson.value) return;
    this.lesson.value = { ...this.lesson.value, toolConfiguration: after };
    this.automatic.value = new Set([...this.automatic.value, ...added.map(({ toolId }) => toolId)]);
    const undo = () => added.forEach((each) => this.set({ ...each, enabled: false }));
    this.#tell(changes.join(" "), undo);
  }

  #tell(change: string, undo: () => void): void {
    this.#ends.push(toast(change, { name: say("editor.undo"), run: undo }));
  }
}
