/**
 * The card of a pending write: what would happen, exactly, and the decision.
 *
 * It is outside of the model's text, and looks like nothing that Markdown can produce.
 */

import type { Approval, RollcallError } from "@rollcall/client";
import type { Decision } from "@rollcall/client/wire";
import { computed, useSignal } from "@preact/signals";
import { useEffect, useId, useLayoutEffect, useMemo, useRef } from "preact/hooks";

import { Icon, type IconName } from "../app/icon.js";
import { announce } from "../app/toast.js";
import { DisplayView } from "../cards/displays.js";
import type { CardStatus } from "../cards/outcome.js";
import { toolName, toolOf } from "../cards/tools.js";
import { Values } from "../cards/value.js";
import { agentName } from "../chat/agents.js";
import { reasonOf } from "../chat/problems.js";
import { Line } from "../markdown/prose.js";
import { dateTime, locale, text } from "../text/locale.js";
import { ArgumentForm } from "./argument_form.js";
import { now, timeLeft, useClock } from "./clock.js";
import { translation, mayEdit, type Phase, phaseOf } from "./phase.js";
import { RejectForm, RememberForm } from "./decision_forms.js";

export interface ApprovalCardProps {
  approval: Approval;
  /** The user who looks at it. */
  uid: string;
  /** What became of the call, where that is known. */
  outcome?: CardStatus | undefined;
  decide: (decision: Decision) => Promise<unknown>;
}

/** How long a new card ignores clicks, which may have been meant for something else. */
const ARMED_MS = 400;

const ICONS: Record<Phase, IconName> = {
  open: "shield",
  theirs: "shield",
  approved: "retry",
  rejected: "close",
  expired: "close",
  replaced: "edit",
  done: "check",
  failed: "warn",
  unknown: "warn",
};

export function ApprovalCard({ approval, uid, outcome, decide }: ApprovalCardProps) {
  useClock();
  const id = useId();
  const card = useRef<HTMLDivElement>(null);
  const form = useSignal<"none" | "reject" | "edit" | "remember">("none");
  const isSending = useSignal(false);
  /** Whether the decision was made on this card. */
  const isHere = useSignal(false);
  const isArmed = useSignal(false);
  const isSeen = useSignal(approval.complete);
  const problem = useSignal<string | undefined>(undefined);
  const phase = useMemo(() => computed(() => phaseOf(approval, outcome, now.value)), [approval, outcome]).value;
  const { summary, display } = translation(approval, locale.value);
  const left = useMemo(() => timeLeft(approval.expiresAt), [Number(approval.expiresAt)]);
  const isOpen = phase === "open";
  const isPending = isOpen || phase === "theirs";

  useEffect(() => {
    const timer = setTimeout(() => (isArmed.value = true), ARMED_MS);
    return () => clearTimeout(timer);
  }, []);
  // When the buttons disappear, the card gets the focus that was on it.
  const before = useRef(phase);
  const hasFocus = card.current?.matches(":focus-within");
  useLayoutEffect(() => {
    if (before.current === phase) return;
    before.current = phase;
    if (hasFocus) card.current?.focus();
    announce(`${text(`approval.${phase}`)}: ${summary}`);
  }, [phase]);

  const send = async (decision: Decision) => {
    if (isSending.value || !isArmed.value) return; // a second click
    [isSending.value, isHere.value, problem.value] = [true, true, undefined];
    card.current?.focus({ preventScroll: true }); // a scroll would move something else under a second click
    try {
      await decide(decision);
      form.value = "none";
    } catch (error) {
      isHere.value = false;
      problem.value = problemOf(error as RollcallError);
      announce(problem.value);
    }
    isSending.value = false;
  };

  const tool = toolOf(approval.tool);
  const isBusy = isSending.value || !isArmed.value;
  const mayApprove = isSeen.value && !isBusy;
  const cancel = () => {
    form.value = "none";
    card.current?.focus();
  };
  return (
    <div
      role="group"
      class="approval"
      part="approval"
      data-phase={phase}
      ref={card}
      tabIndex={-1}
      aria-labelledby={`${id}-kind ${id}-what`}
      aria-busy={isSending.value}
    >
      <header class="approval-head">
        <Icon name={ICONS[phase]} />
        <span id={`${id}-kind`}>{text(isSending.value ? "approval.sending" : `approval.${phase}`)}</span>
        <Line class="quiet">{toolName(approval.tool)}</Line>
      </header>
      <p id={`${id}-what`} class="approval-what">
        <Line>{summary}</Line>
      </p>
      {isPending && display && <DisplayView display={display} />}
      {isOpen && !isSeen.value ? (
        <div class="approval-more">
          <p>{text("approval.not_all")}</p>
          <button type="button" class="button" onClick={() => (isSeen.value = true)}>
            {text("approval.show_all")}
          </button>
        </div>
      ) : (
        <details class="approval-arguments" open={isOpen && !approval.complete}>
          <summary>{text("approval.arguments")}</summary>
          {!isPending && display && <DisplayView display={display} />}
          <Values of={approval.arguments} isWhole />
        </details>
      )}
      <About approval={approval} uid={uid} phase={phase} isHere={isHere.value} left={left.value} />
      {!isOpen && <p class="approval-note">{text(`approval.${phase}.note`)}</p>}
      {problem.value && (
        <p class="approval-problem">
          <Icon name="warn" />
          <Line>{problem.value}</Line>
        </p>
      )}
      {isOpen && form.value === "none" && (
        <div class="approval-actions">
          <button
            type="button"
            class="button primary"
            disabled={!mayApprove}
            onClick={() => send({ approved: true })}
          >
            <Icon name="check" />
            {text("approval.approve")}
          </button>
          <button
            type="button"
            class="button"
            disabled={isSending.value}
            onClick={() => (form.value = "reject")}
          >
            {text("approval.reject")}
          </button>
          {tool && mayEdit(approval, uid) && (
            <button
              type="button"
              class="button"
              disabled={isSending.value}
              onClick={() => (form.value = "edit")}
            >
              <Icon name="edit" />
              {text("approval.edit")}
            </button>
          )}
          {approval.remember.length > 0 && approval.uid === uid && (
            <button
              type="button"
              class="text-button"
              disabled={!mayApprove}
              onClick={() => (form.value = "remember")}
            >
              {text("approval.remember")}
            </button>
          )}
        </div>
      )}
      {isOpen && form.value === "reject" && (
        <RejectForm
          isBusy={isBusy}
          onReject={(reason) => send({ approved: false, ...(reason && { reason }) })}
          onCancel={cancel}
        />
      )}
      {isOpen && form.value === "edit" && tool && (
        <ArgumentForm
          schema={tool.jsonSchema}
          labels={tool.labels}
          value={approval.arguments}
          isBusy={isBusy}
          onSave={(editedArguments) => send({ approved: true, editedArguments })}
          onCancel={cancel}
        />
      )}
      {isOpen && form.value === "remember" && (
        <RememberForm
          patterns={approval.remember}
          onApprove={(remember) => send({ approved: true, remember })}
          onCancel={cancel}
        />
      )}
    </div>
  );
}

/** Who asked, until when, and who has decided what for which reason. */
function About(props: { approval: Approval; uid: string; phase: Phase; isHere: boolean; left: string }) {
  const { approval, uid, phase, isHere, left } = props;
  const { agent, uid: asker, expiresAt, deciderRole, decision } = approval;
  const key = decision?.by !== uid ? "other" : isHere ? "here" : "elsewhere";
  return (
    <>
      <p class="approval-about quiet">
        <span>
          {asker === uid
            ? text("approval.asked_by_you", { agent: agentName(agent) })
            : text("approval.asked_by", { agent: agentName(agent), user: asker })}
        </span>
        {(phase === "open" || phase === "theirs") && (
          <time dateTime={expiresAt.toISOString()} title={dateTime(expiresAt)}>
            {text("approval.until", { time: left })}
          </time>
        )}
        {phase === "theirs" && deciderRole && (
          <span>{text("approval.by_role", { role: roleName(deciderRole) })}</span>
        )}
        {decision && <span>{text(`approval.decided.${key}`)}</span>}
      </p>
      {decision?.reason && (
        <blockquote class="approval-reason">
          <Line>{decision.reason}</Line>
        </blockquote>
      )}
    </>
  );
}

const ROLES = ["user", "student", "teacher", "admin"] as const;

function roleName(role: string): string {
  const known = ROLES.find((each) => each === role);
  return known ? text(`role.${known}`) : role;
}

/** The error of a decision. */
function problemOf(error: RollcallError): string {
  if (error.code === "permission-denied") return text("approval.too_late");
  if (error.code === "unavailable") return text("approval.not_sent");
  return reasonOf(error);
}
