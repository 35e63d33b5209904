/** A voice conversation over the Live API's socket: captions, tool calls, resumption. */

import { signal } from "@preact/signals";

import type { Sound } from "./sound.js";

const ADDRESS =
  "wss://generativelanguage.googleapis.com/ws/google.ai.generativelanguage.v1alpha.GenerativeService.BidiGenerateContentConstrained";
const MAX_TRIES = 5;
const FIRST_WAIT_MS = 500;
const SETUP_MS = 10_000;
const MAX_CAPTIONS = 100;
const MAX_CAPTION_CHARS = 4_000;
const HEARD_CHARS = 500;

/** What create_live_session returns. */
export interface LiveSession {
  sessionId: string;
  token: string;
  model: string;
  tools: string[];
}

export interface Caption {
  who: "student" | "tutor";
  words: string;
}

/** "lost": closed, or disconnected without resumption. */
export type TalkState = "connecting" | "open" | "resuming" | "lost";

interface ToolCall {
  id: string;
  name: string;
  args?: object;
}

/** The parts of the server's messages that are used here. */
interface ServerMessage {
  setupComplete?: object;
  serverContent?: {
    modelTurn?: { parts?: { inlineData?: { data: string; mimeType: string } }[] };
    inputTranscription?: { text?: string };
    outputTranscription?: { text?: string };
    interrupted?: boolean;
    turnComplete?: boolean;
  };
  toolCall?: { functionCalls?: ToolCall[] };
  toolCallCancellation?: { ids?: string[] };
  sessionResumptionUpdate?: { newHandle?: string; resumable?: boolean };
  goAway?: object;
}

/** Calls a tool's function; its error goes to the model. */
type CallTool = (name: string, args: object, context: object, callKey: string) => Promise<object>;

export class LiveTalk {
  readonly state = signal<TalkState>("connecting");
  readonly captions = signal<Caption[]>([]);
  #socket: WebSocket | undefined;
  #handle: string | undefined;
  #tries = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #turns = 0;
  #isTurnOver = true;
  /** The calls made, by id: one repeated after a resumption is answered and not made again. */
  #calls = new Map<string, Promise<object>>();
  #cancelled = new Set<string>();

  /** @param sound It is closed with the talk. */
  constructor(
    private readonly session: LiveSession,
    readonly sound: Sound,
    private readonly callTool: CallTool,
  ) {
    this.#connect();
  }

  /** Send PCM at 16 kHz. Audio during a disconnection is lost. */
  sendSound(pcm: ArrayBuffer): void {
    if (this.state.value !== "open") return;
    const data = btoa(Array.from(new Uint8Array(pcm), (each) => String.fromCharCode(each)).join(""));
    this.#send({ realtimeInput: { audio: { data, mimeType: "audio/pcm;rate=16000" } } });
  }

  /** Mute, and signal the end of audio once, so that the model does not wait; or unmute. */
  mute(isMuted: boolean): void {
    this.sound.mute(isMuted);
    if (isMuted && this.state.value === "open") this.#send({ realtimeInput: { audioStreamEnd: true } });
  }

  close(): void {
    this.state.value = "lost";
    this.#leave();
    this.sound.close();
  }

  /** Drop the socket, and ignore its further messages. */
  #leave(): void {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }

  #connect(): void {
    const socket = new WebSocket(`${ADDRESS}?access_token=${encodeURIComponent(this.session.token)}`);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    const ifCurrent = (run: () => void) => this.#socket === socket && run();
    const setup = {
      model: `models/${this.session.model.replace(/^models\//, "")}`,
      sessionResumption: this.#handle ? { handle: this.#handle } : {},
    };
    socket.onopen = () => ifCurrent(() => this.#send({ setup }));
    socket.onclose = () => ifCurrent(() => this.#resume());
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) =>
      ifCurrent(() => {
        const text = typeof data === "string" ? data : new TextDecoder().decode(data);
        try {
          this.#read(JSON.parse(text) as ServerMessage);
        } catch (error) {
          console.warn("the voice model sent what is no message", error);
          this.#resume();
        }
      });
    this.#timer = setTimeout(() => this.#resume(), SETUP_MS);
  }

  /** Reconnect with back-off; without a handle the session cannot be resumed. */
  #resume(): void {
    this.#leave();
    if (!this.#handle || this.#tries >= MAX_TRIES) return this.close();
    this.state.value = "resuming";
    this.#timer = setTimeout(() => this.#connect(), FIRST_WAIT_MS * 2 ** this.#tries);
    this.#tries += 1;
  }

  #send(message: object): void {
    this.#socket?.send(JSON.stringify(message));
  }

  #read(message: ServerMessage): void {
    const { serverContent: content, sessionResumptionUpdate: update } = message;
    if (message.setupComplete) {
      clearTimeout(this.#timer);
      this.state.value = "open";
    }
    if (update?.newHandle && update.resumable) this.#handle = update.newHandle;
    if (content) {
      this.#tries = 0; // it has gone on
      if (content.interrupted) this.sound.hush();
      this.#caption("student", content.inputTranscription?.text);
      this.#caption("tutor", content.outputTranscription?.text);
      for (const { inlineData } of content.modelTurn?.parts ?? []) {
        if (inlineData?.mimeType.startsWith("audio/pcm")) this.sound.play(pcmOf(inlineData.data));
      }
      if (content.turnComplete || content.interrupted) this.#isTurnOver = true;
    }
    for (const id of message.toolCallCancellation?.ids ?? []) this.#cancelled.add(id);
    for (const each of message.toolCall?.functionCalls ?? []) void this.#answer(each);
    if (message.goAway) this.#resume();
  }

  #caption(who: Caption["who"], text: string | undefined): void {
    if (!text) return;
    const before = this.captions.value;
    const last = before.at(-1);
    if (last?.who === who && !this.#isTurnOver) {
      const words = (last.words + text).slice(-MAX_CAPTION_CHARS);
      this.captions.value = [...before.slice(0, -1), { who, words }];
    } else {
      if (who === "student") this.#turns += 1;
      this.captions.value = [...before, { who, words: text.trimStart().slice(-MAX_CAPTION_CHARS) }].slice(-MAX_CAPTIONS);
    }
    this.#isTurnOver = false;
  }

  async #answer({ id, name, args }: ToolCall): Promise<void> {
    let result = this.#calls.get(id);
    if (!result) this.#calls.set(id, (result = this.#call(name, args ?? {}, id)));
    const socket = this.#socket;
    const response = await result;
    // A session resumed meanwhile does not know the call, or repeats it.
    if (socket !== this.#socket || this.#cancelled.has(id)) return;
    this.#send({ toolResponse: { functionResponses: [{ id, name, response }] } });
  }

  async #call(name: string, args: object, callKey: string): Promise<object> {
    const { tools, sessionId } = this.session;
    if (!tools.includes(name)) return { error: `this lesson does not have ${name}; it has: ${tools.join(", ")}` };
    const said = this.captions.value.findLast(({ who }) => who === "student")?.words ?? "";
    const heard = Array.from(said).slice(-HEARD_CHARS).join("");
    try {
      return await this.callTool(name, args, { sessionId, turns: this.#turns, heard }, callKey);
    } catch (error) {
      const { message, hint } = error as { message: string; hint?: string };
      return { error: message, ...(hint && { hint }) };
    }
  }
}

/** Whole samples of 16 bits, the lower byte first. */
function pcmOf(base64: string): Int16Array {
  const bytes = Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
  return new Int16Array(bytes.buffer, 0, bytes.length >> 1);
}
