/** Components of the web app by themselves, for tests: `window.components.show("markdown", {...})`. */

import { RollcallError } from "@rollcall/client";
import { signal } from "@preact/signals";
import axe from "axe-core";
import { render } from "preact";

import { ApprovalCard } from "../../../../clients/web/src/approvals/approval_card.js";
import { ArgumentForm } from "../../../../clients/web/src/approvals/argument_form.js";
import { Announcements } from "../../../../clients/web/src/app/toast.js";
import { SidePanel } from "../../../../clients/web/src/cards/side_panel.js";
import { Citations } from "../../../../clients/web/src/cards/citations.js";
import { ToolCard } from "../../../../clients/web/src/cards/tool_card.js";
import { learnTools } from "../../../../clients/web/src/cards/tools.js";
import { Composer } from "../../../../clients/web/src/chat/composer.js";
import { ProblemNote } from "../../../../clients/web/src/chat/problem_note.js";
import { problemOf } from "../../../../clients/web/src/chat/problems.js";
import { ThreadList } from "../../../../clients/web/src/chat/thread_list.js";
import { Turn } from "../../../../clients/web/src/chat/turn.js";
import { BlockReader } from "../../../../clients/web/src/markdown/blocks.js";
import { Markdown } from "../../../../clients/web/src/markdown/markdown.js";
import { directionOf } from "../../../../clients/web/src/text/direction.js";
import { followLocale, locale } from "../../../../clients/web/src/text/locale.js";
import "../../../../clients/web/styles/app.css";

const root = document.getElementById("app") as HTMLElement;
const decisions: unknown[] = [];

const components = {
  markdown: (props: any) => <Markdown {...props} />,
  card: (props: any) => <ToolCard {...props} />,
  problem: ({ code, message = "the server's words", ...details }: any) => (
    <ProblemNote problem={problemOf(new RollcallError(code, message, details))} onRetry={() => undefined} />
  ),
  composer: ({ message, ...error }: any) => {
    const turn = new Turn({ key: "r", runId: "r", message, createdAt: new Date() });
    turn.view.value = { state: "failed", items: [], error: new RollcallError(error.code, "no") };
    const onSend = (again: unknown) => decisions.push(again);
    return <Composer connection={{} as any} placeholder="" isReady unsent={signal(turn)} onSend={onSend} />;
  },
  citations: (props: any) => <Citations {...props} />,
  form: (props: any) => (
    <ArgumentForm {...props} onSave={(value) => decisions.push(value)} onCancel={() => decisions.push(null)} />
  ),
  approval: ({ approval, problem, ...props }: any) => {
    const { createdAt = Date.now(), expiresAt, decision } = approval;
    const at = decision?.at && new Date(decision.at);
    const whole = {
      ...approval,
      createdAt: new Date(createdAt),
      expiresAt: new Date(expiresAt),
      decision: decision && { ...decision, at },
    };
    const decide = async (decision: unknown) => {
      decisions.push(decision);
      await new Promise((resolve) => setTimeout(resolve, 50));
      if (problem) throw new Error(problem);
    };
    return <ApprovalCard {...props} approval={whole} decide={decide} />;
  },
  threads: ({ titles }: { titles: string[] }) => {
    const about = { agent: "office", status: "active", updatedAt: new Date() };
    const threads = titles.map((title) => ({ ...about, id: title, title }));
    const watch = (found: (all: unknown) => void) => (found(threads), () => undefined);
    const use = (work: any) => (work({ rollcall: { threads: { watch } } }, new AbortController().signal), () => undefined);
    return (
      <div class="shell" data-menu="open">
        <aside class="sidebar">
          <ThreadList connection={{ use } as any} />
        </aside>
      </div>
    );
  },
};

/** One or several, one under the other. */
function show(kind: keyof typeof components, ...props: unknown[]): void {
  render(
    <>
      <main class="log" id="shown">
        <h1 class="visually-hidden">Components</h1>
        <h2 class="visually-hidden">{kind}</h2>
        {props.map((each, at) => (
          <div key={at}>{components[kind](each)}</div>
        ))}
      </main>
      <SidePanel />
      <Announcements />
    </>,
    root,
  );
}

/** As it was in the beginning. */
function reset(): void {
  render(null, root);
  decisions.length = 0;
  locale.value = "en";
  delete document.documentElement.dataset.theme;
  learnTools([]);
}

/** All that there is, one under the other, each in its own frame. */
function gallery(parts: [keyof typeof components, unknown][]): void {
  reset();
  render(
    <main class="log" id="shown">
      <h1>Components</h1>
      <h2>All of them</h2>
      {parts.map(([kind, props], at) => (
        <div key={at}>{components[kind](props)}</div>
      ))}
    </main>,
    root,
  );
}

/** Feed a text in deltas; the time of each in ms, and how many nodes the last of them touched. */
async function stream(deltas: string[]): Promise<{ ms: number[]; touched: number[] }> {
  const [ms, touched]: [number[], number[]] = [[], []];
  const observer = new MutationObserver(() => undefined);
  let text = "";
  show("markdown", { text, isWhole: false });
  observer.observe(root, { subtree: true, childList: true, characterData: true });
  for (const delta of deltas) {
    text += delta;
    const start = performance.now();
    show("markdown", { text, isWhole: false });
    void root.offsetHeight;
    ms.push(performance.now() - start);
    touched.push(observer.takeRecords().length);
  }
  return { ms, touched };
}

/** What the reader makes of a text that comes in pieces, beside what it makes of it at once. */
function readInPieces(pieces: string[]): { streamed: string; whole: string; kept: number } {
  const html = (text: string, isWhole: boolean) => {
    show("markdown", { text, isWhole });
    return document.querySelector(".markdown")?.innerHTML ?? "";
  };
  render(null, root);
  let text = "";
  for (const piece of pieces) html((text += piece), false);
  const before = new Set(document.querySelector(".markdown")?.children);
  const streamed = html(text, true);
  const after = [...(document.querySelector(".markdown")?.children ?? [])];
  const kept = after.filter((each) => before.has(each)).length / (after.length || 1);
  render(null, root);
  const whole = html(text, true);
  return { streamed, whole, kept };
}

/** The characters of an element as they stand, from left to right, line by line. */
function seen(selector: string): string {
  const element = document.querySelector(selector) as Element;
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const found: { char: string; x: number; y: number }[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const chars = [...(node.textContent ?? "")];
    let at = 0;
    for (const char of chars) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + char.length);
      at += char.length;
      const [box] = range.getClientRects();
      if (!box?.width || /\s/.test(char)) continue;
      found.push({ char, x: box.left, y: Math.round((box.top + box.height / 2) / 20) });
    }
  }
  return found
    .sort((a, b) => a.y - b.y || a.x - b.x)
    .map(({ char }) => char)
    .join("");
}

Object.assign(window, {
  components: { reset, gallery, axe, show, stream, readInPieces, seen, directionOf, learnTools, locale, decisions, BlockReader },
});
followLocale();
