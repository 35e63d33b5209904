/**
 * A conversation with an agent: its turns, read from the thread's log and followed as they happen.
 *
 * The page combines two sources: the followed run, and the log. The thread's document says which run
 * is the newest, so that a reload, another tab and another device all show the same transcript.
 */

import { RollcallError, type ClientTools, type Entry, type Place, type Run, type ShownCall } from "@rollcall/client";
import type { Decision, Interrupt, MediaPart, TextPart } from "@rollcall/client/wire";
import { batch, computed, signal } from "@preact/signals";

import { begun } from "../approvals/decision.js";
import { isOnline } from "../app/network.js";
import { copy } from "../app/output.js";
import { toast } from "../app/toast.js";
import type { Connection } from "../firebase/connection.js";
import type { Store, ThreadDocument } from "../store/store.js";
import { locale, text } from "../text/locale.js";
import { type Item, Turn } from "./turn.js";

type Parts = (TextPart | MediaPart)[];

const PAGE = 50;
/** How much of a message a toast shows. */
const SHOWN = 80;

export class Conversation {
  readonly agent: string;
  readonly threadId = signal<string | undefined>(undefined);
  readonly title = signal<string | null>(null);
  readonly turns = signal<Turn[]>([]);
  /** Whether the log is being read. */
  readonly isLoading = signal(false);
  readonly #older = signal<Place | undefined>(undefined);
  readonly hasOlder = computed(() => this.#older.value !== undefined);
  /** Why the thread cannot be shown. */
  readonly error = signal<RollcallError | undefined>(undefined);
  readonly newest = computed(() => this.turns.value.at(-1));
  readonly isBusy = computed(() => {
    const state = this.newest.value?.view.value.state;
    return state === "sending" || state === "running";
  });
  /** A refused message that newer turns of the thread replaced on the screen; it can be sent again. */
  readonly unsent = signal<Turn | undefined>(undefined);
  /** Why no message can be sent any more. */
  readonly closed = signal<string | undefined>(undefined);
  readonly context: Record<string, unknown> | undefined;
  readonly connection: Connection;
  /** The client tools of this page. */
  readonly #clientTools: ClientTools | undefined;
  #thread: ThreadDocument | undefined;
  #stopWatching: (() => void) | undefined;
  readonly #stopWaiting: () => void;
  #isClosed = false;
  /** The update time of the thread's document when its log was read. */
  #loadedAt: string | undefined;
  #isCatchingUp = false;
  /** Whether the thread changed again while catching up. */
  #isDue = false;

  constructor(
    connection: Connection,
    to: { agent: string; threadId?: string; context?: Record<string, unknown>; clientTools?: ClientTools },
  ) {
    this.connection = connection;
    this.agent = to.agent;
    this.context = to.context;
    this.#clientTools = to.clientTools;
    this.threadId.value = to.threadId;
    this.isLoading.value = to.threadId !== undefined;
    if (to.threadId) void this.open();
    this.#stopWaiting = isOnline.subscribe((isBack) => {
      if (!isBack) return;
      if (this.error.peek()?.code === "unavailable") void this.open();
      else this.#catchUp();
    });
  }

  /** Stop watching. Runs go on; a message that is under way is sent. */
  close(): void {
    this.#isClosed = true;
    this.#stopWatching?.();
    this.#stopWaiting();
    for (const turn of this.turns.value) if (turn.view.value.state !== "sending") turn.run?.leave();
  }

  /** Send a message, which may replace the newest turn. */
  async send(message: Parts, { replaces }: { replaces?: Turn } = {}): Promise<void> {
    const turn = this.#begin(message, replaces);
    const { rollcall } = await this.connection.store();
    const run = rollcall.run({
      ...this.#request(),
      message,
      runId: turn.runId,
      ...(turn.replaces && { replaces: turn.replaces }),
    });
    await this.#follow(turn, run);
  }

  /** Ask again; the new answer replaces the old one. */
  async retry(turn: Turn): Promise<void> {
    const again = this.#begin(turn.message, turn);
    const { rollcall } = await this.connection.store();
    const { runId } = again;
    // A message that the server never received is sent as new, with the turn it was to replace.
    const { replaces } = turn;
    const input = turn.turnId
      ? { retry: turn.turnId }
      : { message: turn.message, ...(replaces && { replaces }) };
    await this.#follow(again, rollcall.run({ ...this.#request(), ...input, runId }));
  }

  /** Stop the current run. */
  async stop(): Promise<void> {
    await this.newest.value?.run?.cancel();
  }

  /**
   * Decide an interrupt of the newest turn. Resolves when the turn continues.
   * @throws RollcallError It was decided otherwise, or too late.
   */
  async decide(interrupt: Interrupt, { approved, reason, ...remarks }: Decision): Promise<void> {
    const turn = this.newest.value;
    if (!turn?.run) return;
    const next = approved
      ? turn.run.approve(interrupt, remarks)
      : turn.run.reject(interrupt, reason);
    if (!next) return;
    const isBegun = begun(next);
    void this.#follow(turn, next, true);
    await isBegun;
  }

  async rate(turn: Turn, rating: "up" | "down" | null, comment?: string): Promise<void> {
    const { rollcall } = await this.connection.store();
    const threadId = this.threadId.value as string;
    await rollcall.rate({ threadId, runId: turn.runId, rating, ...(comment && { comment }) });
  }

  /** Read the page before the first turn that is shown. */
  async loadOlder(): Promise<void> {
    const threadId = this.threadId.value;
    if (!this.#older.value || !threadId || this.isLoading.value) return;
    this.isLoading.value = true;
    const { rollcall } = await this.connection.store();
    const page = await rollcall.threads
      .messages(threadId, { before: this.#older.value, limit: PAGE })
      .finally(() => (this.isLoading.value = false));
    const turns = turnsOf(page.entries);
    // A page may begin in the midst of a turn, whose message stands on the one before.
    const [first] = this.turns.value;
    const torn = turns.at(-1);
    const isTorn = torn && first && torn.turnId === first.turnId && !first.message.length;
    batch(() => {
      if (isTorn) torn.view.value = joinTurns(torn, first);
      this.turns.value = [...turns, ...this.turns.value.slice(isTorn ? 1 : 0)];
      this.#older.value = page.older;
    });
    void this.#complete(turns);
  }

  #request() {
    const threadId = this.threadId.value;
    return {
      agent: this.agent,
      locale: locale.value,
      ...(threadId && { threadId }),
      ...(this.context && { context: this.context }),
      ...(this.#clientTools && { clientTools: this.#clientTools }),
    };
  }

  #begin(message: Parts, replaces: Turn | undefined): Turn {
    const runId = `web-${crypto.randomUUID()}`;
    // A turn that the server never received passes on what it was to replace.
    const place = replaces?.turnId ?? replaces?.replaces;
    const turn = new Turn({ key: runId, runId, message, createdAt: new Date(), replaces: place });
    turn.view.value = { state: "sending", items: [] };
    this.turns.value = [...this.turns.value.filter((each) => each !== replaces), turn];
    return turn;
  }

  async #follow(turn: Turn, run: Run, isOngoing = false): Promise<void> {
    const stop = run.on("event", (event) => {
      if (event.type !== "RUN_STARTED") return;
      if (this.#isClosed) return run.leave();
      if (this.threadId.value) return;
      this.threadId.value = event.threadId;
      this.#watch(event.threadId);
    });
    await turn.follow(run, isOngoing ? "running" : undefined);
    stop();
    if (!this.#isClosed) this.#catchUp();
    else if (turn.view.value.state === "failed" && !turn.turnId) {
      const words = turn.text.length > SHOWN ? `${turn.text.slice(0, SHOWN)}…` : turn.text;
      toast(text("run.left_unsent", { words }), {
        name: text("code.copy"),
        run: () => void copy(turn.text, text("code.copied")),
      });
    }
  }

  /** Read the newest page of the log, and follow the thread from there. */
  async open(): Promise<void> {
    const threadId = this.threadId.value as string;
    [this.isLoading.value, this.error.value] = [true, undefined];
    try {
      const { rollcall } = await this.connection.store();
      const page = await rollcall.threads.messages(threadId, { limit: PAGE });
      if (this.#isClosed) return;
      const turns = turnsOf(page.entries);
      batch(() => {
        this.turns.value = turns;
        this.#older.value = page.older;
        this.isLoading.value = false;
      });
      this.#watch(threadId);
      void this.#complete(turns);
    } catch (error) {
      this.isLoading.value = false;
      this.error.value = error as RollcallError;
    }
  }

  async #watch(threadId: string): Promise<void> {
    const store = await this.connection.store();
    if (this.#isClosed || this.#stopWatching) return;
    const showMissing = () => {
      this.error.value = new RollcallError("not-found", "there is no such thread");
    };
    this.#stopWatching = store.watchThread(
      threadId,
      (thread) => {
        this.#thread = thread;
        this.title.value = thread?.title ?? null;
        if (thread) this.#catchUp();
        else showMissing();
      },
      showMissing, // the rules deny a thread that is not there, or not any more, as they do another user's
    );
  }

  /** Follow the thread's current run, if this page does not show it yet. */
  #catchUp(): void {
    this.#isDue = true;
    if (!this.#isCatchingUp) void this.#catchUpRepeatedly();
  }

  /**
   * Repeat while the thread changes: it may change while it is read, and another run may start.
   */
  async #catchUpRepeatedly(): Promise<void> {
    this.#isCatchingUp = true;
    while (this.#isDue && !this.#isClosed) {
      this.#isDue = false;
      await this.#catchUpOnce().catch((error: unknown) =>
        console.warn("the thread was not read anew", error),
      );
    }
    this.#isCatchingUp = false;
  }

  async #catchUpOnce(): Promise<void> {
    const threadId = this.threadId.value;
    const thread = this.#thread;
    if (!threadId || !thread || this.isBusy.value) return;
    const store = await this.connection.store();
    const runId = thread.lease?.runId ?? thread.waiting?.runId;
    if (!runId) return this.#reload(store, threadId, thread);
    const shown = this.newest.value;
    if (shown?.runId === runId && shown.run) return;
    // What the server has not taken stays, with why, as long as the thread has nothing new.
    const isKnown = (each: Turn) => each.runId === runId && each.isComplete;
    if (!shown?.turnId && !thread.waiting && this.turns.value.some(isKnown)) return;
    const state = await store.run(threadId, runId);
    if (!state || this.#isStale()) return;
    if (this.newest.value?.turnId !== state.turnId) await this.#readNewest(store, threadId);
    const turn = this.newest.value;
    // The log may be newer than what the thread's document said.
    if (turn?.turnId !== state.turnId || this.#isStale()) return;
    if (turn.runId === runId && turn.run) return;
    const isOver = state.status !== "running" && !thread.waiting;
    if (isOver && turn.runId === runId && turn.isComplete) return;
    const { agent } = this;
    const clientTools = this.#clientTools && { clientTools: this.#clientTools };
    await this.#follow(turn, store.rollcall.follow({ agent, threadId, runId, ...clientTools }), true);
  }

  /** Reload an idle thread if it has changed. */
  async #reload(store: Store, threadId: string, thread: ThreadDocument): Promise<void> {
    const { seconds, nanoseconds } = thread.updatedAt;
    const at = `${seconds}.${nanoseconds}`;
    if (this.#loadedAt === at) return;
    const { entries } = await store.rollcall.threads.messages(threadId, { limit: 1 });
    if (entries.at(-1)?.turnId !== this.newest.value?.turnId) {
      await this.#readNewest(store, threadId);
    }
    this.#loadedAt = at;
  }

  /** Read the newest page of the log. Turns already shown stay the same objects. */
  async #readNewest({ rollcall }: Store, threadId: string): Promise<void> {
    const page = await rollcall.threads.messages(threadId, { limit: PAGE });
    if (this.#isStale()) return;
    const known = new Map(this.turns.value.map((each) => [each.turnId, each]));
    const turns = turnsOf(page.entries).map((each) => known.get(each.turnId) ?? each);
    const first = page.entries[0]?.n ?? 0;
    const before = this.turns.value.filter((each) => each.n < first && !turns.includes(each));
    const isRefused = ({ turnId, view }: Turn) => !turnId && view.value.state === "failed";
    batch(() => {
      this.unsent.value = this.turns.value.findLast(isRefused) ?? this.unsent.value;
      this.turns.value = [...before, ...turns];
    });
    void this.#complete(turns);
  }

  /** Whether the result of an await is outdated. */
  #isStale(): boolean {
    return this.#isClosed || this.isBusy.value;
  }

  /** Complete turns from the log with what only their runs have: tool results, sources, outcomes. */
  async #complete(turns: Turn[]): Promise<void> {
    const threadId = this.threadId.value;
    if (!threadId) return;
    const store = await this.connection.store();
    const newest = this.newest.value;
    await Promise.all(
      turns.map(async (turn) => {
        // Most turns are text only, and each run costs a read.
        const isTold = turn === newest || turn.hasMore;
        if (!isTold || turn.run || turn.isComplete) return;
        const stored = await store.run(threadId, turn.runId).catch(() => undefined);
        if (turn.run || !stored || stored.status === "running") return;
        turn.complete(stored);
      }),
    );
  }
}

/** The turns of a page of the log. A turn that starts before the page has no message. */
function turnsOf(entries: Entry[]): Turn[] {
  const turns: Turn[] = [];
  for (const entry of entries) {
    let turn = turns.at(-1);
    if (turn?.turnId !== entry.turnId) {
      const { turnId, runId, createdAt, n } = entry;
      const message = entry.parts ?? [];
      turn = new Turn({ key: turnId, turnId, runId, message, createdAt, n });
      turns.push(turn);
    }
    turn.runId = entry.runId;
    if (entry.role === "user") continue;
    turn.view.value = { state: "done", items: [...turn.view.value.items, ...itemsOf(entry)] };
  }
  return turns;
}

function itemsOf(entry: Entry): Item[] {
  const said: Item[] = entry.text
    ? [{ kind: "text", id: `t:${entry.n}`, runId: entry.runId, text: entry.text, isWhole: true }]
    : [];
  const calls = (entry.calls ?? []).map((call): Item => {
    const shown: ShownCall = { ...call, messageId: undefined, isWhole: true };
    return { kind: "call", id: `c:${call.id}`, runId: entry.runId, call: shown };
  });
  return [...said, ...calls];
}

function joinTurns(torn: Turn, rest: Turn) {
  const items = [...torn.view.value.items, ...rest.view.value.items];
  return { ...rest.view.value, items };
}
