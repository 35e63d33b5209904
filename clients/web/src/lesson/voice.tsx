/** Voice sessions: the request for the microphone, captions, mute and end. */

import type { RollcallError } from "@rollcall/client";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { call } from "../firebase/calls.js";
import type { Connection } from "../firebase/connection.js";
import { RefusalNote } from "../school/refusal.js";
import { text } from "../text/locale.js";
import { CLIENT_TOOLS } from "./client_tools.js";
import { type LiveSession, LiveTalk } from "./live_talk.js";
import { Sound } from "./sound.js";
import { type LessonKey, say } from "./texts.js";

export interface VoiceProps {
  connection: Connection;
  sessionId: string;
  onClose: () => void;
}

export function Voice({ connection, sessionId, onClose }: VoiceProps) {
  const session = useSignal<LiveSession | undefined>(undefined);
  const problem = useSignal<RollcallError | undefined>(undefined);
  const note = useSignal<LessonKey | undefined>(undefined);
  const going = useSignal<LiveTalk | undefined>(undefined);
  const isAsking = useSignal(false);
  const isWanted = useRef(true);

  const prepare = () => {
    problem.value = undefined;
    call<LiveSession>(connection, "create_live_session", { sessionId }).then(
      (made) => (session.value = made),
      (error: RollcallError) => {
        // What is refused for the lesson's sake names it; without a key or a model there is no field.
        if (error.code === "failed-precondition" && !error.field) note.value = "voice.not_set_up";
        else if (error.code === "resource-exhausted" && !error.retryAfterS) note.value = "voice.enough";
        else problem.value = error;
      },
    );
  };
  const leave = () => going.value?.close();
  useEffect(() => {
    prepare();
    addEventListener("pagehide", leave);
    return () => {
      isWanted.current = false;
      removeEventListener("pagehide", leave);
      leave();
    };
  }, []);

  const start = async (live: LiveSession) => {
    isAsking.value = true;
    try {
      const audio = { channelCount: 1, echoCancellation: true, noiseSuppression: true };
      const microphone = await navigator.mediaDevices.getUserMedia({ audio });
      const sound = new Sound(microphone);
      if (!isWanted.current) return sound.close();
      const talk = new LiveTalk(live, sound, async (name, args, context, callKey) => {
        return CLIENT_TOOLS[name]?.() ?? call<object>(connection, name, args, { context, callKey });
      });
      going.value = talk;
      await sound.record((pcm) => talk.sendSound(pcm), () => stop("voice.no_microphone"));
    } catch (error) {
      console.warn("the microphone cannot be used", error);
      stop((error as Error).name === "NotAllowedError" ? "voice.refused" : "voice.no_microphone");
    }
  };
  const stop = (why: LessonKey) => {
    leave();
    going.value = undefined;
    session.value = undefined;
    note.value = why;
  };

  return (
    <section class="voice" aria-label={say("voice.title")}>
      {note.value && <p role="alert">{say(note.value)}</p>}
      {problem.value && <RefusalNote error={problem.value} onRetry={prepare} />}
      {!note.value && !problem.value && !session.value && <p role="status">{text("app.loading")}</p>}
      {session.value && !going.value && (
        <>
          <p>{say("voice.reason")}</p>
          <button class="button primary" disabled={isAsking.value} onClick={() => void start(session.value!)}>
            {say("voice.start")}
          </button>
        </>
      )}
      {going.value ? (
        <Talk talk={going.value} onClose={onClose} />
      ) : (
        <button class="button" onClick={onClose}>
          {text("app.close")}
        </button>
      )}
    </section>
  );
}

function Talk({ talk, onClose }: { talk: LiveTalk; onClose: () => void }) {
  const state = talk.state.value;
  const isMuted = talk.sound.isMuted.value;
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => end.current?.lastElementChild?.scrollIntoView({ block: "nearest" }), [talk.captions.value]);
  return (
    <>
      <p role="status">{say(state === "open" && isMuted ? "voice.muted" : `voice.${state}`)}</p>
      {state !== "lost" && <Level sound={talk.sound} />}
      <div ref={end} class="captions" role="log" aria-live="off" aria-label={say("voice.captions")} tabIndex={0}>
        {talk.captions.value.map(({ who, words }, at) => (
          <p key={at} data-who={who}>
            <strong>{say(`voice.${who}`)}:</strong> <span dir="auto">{words}</span>
          </p>
        ))}
      </div>
      <div class="row">
        {state !== "lost" && (
          <button class="button" aria-pressed={isMuted} onClick={() => talk.mute(!isMuted)}>
            {say("voice.mute")}
          </button>
        )}
        <button class="button" onClick={onClose}>
          {state === "lost" ? text("app.close") : say("voice.end")}
        </button>
      </div>
    </>
  );
}

function Level({ sound }: { sound: Sound }) {
  return <meter min={0} max={1} value={sound.level.value} aria-label={say("voice.level")} />;
}
