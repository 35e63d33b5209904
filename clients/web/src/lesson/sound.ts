/** Audio input and output: the microphone as PCM at 16 kHz, playback of PCM at 24 kHz. */

import { signal } from "@preact/signals";

const HEARD_RATE = 24_000;

export class Sound {
  /** The microphone's level, 0 to 1; 0 while muted. */
  readonly level = signal(0);
  readonly isMuted = signal(false);
  #context = new AudioContext();
  #playing = new Set<AudioBufferSourceNode>();
  /** The end of the queued audio, in the context's time. */
  #endsAt = 0;

  /** @param microphone It is released by `close`. */
  constructor(private readonly microphone: MediaStream) {}

  /** Send the microphone's audio until `close`. `onEnd` is called if the microphone is removed. */
  async record(send: (pcm: ArrayBuffer) => void, onEnd: () => void): Promise<void> {
    for (const track of this.microphone.getTracks()) track.onended = onEnd;
    await this.#context.audioWorklet.addModule(new URL("voice_input.js", import.meta.url).href);
    const input = new AudioWorkletNode(this.#context, "voice-input", { numberOfOutputs: 0 });
    input.port.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => {
      if (this.isMuted.value) return;
      this.level.value = new Int16Array(data).reduce((most, each) => Math.max(most, Math.abs(each)), 0) / 0x8000;
      send(data);
    };
    this.#context.createMediaStreamSource(this.microphone).connect(input);
    await this.#context.resume();
  }

  mute(isMuted: boolean): void {
    this.isMuted.value = isMuted;
    this.level.value = 0;
    for (const track of this.microphone.getTracks()) track.enabled = !isMuted;
  }

  /** Queue PCM for playback. */
  play(pcm: Int16Array): void {
    if (!pcm.length) return;
    const buffer = this.#context.createBuffer(1, pcm.length, HEARD_RATE);
    buffer.copyToChannel(Float32Array.from(pcm, (each) => each / 0x8000), 0);
    const source = new AudioBufferSourceNode(this.#context, { buffer });
    source.connect(this.#context.destination);
    source.onended = () => this.#playing.delete(source);
    this.#playing.add(source);
    const startsAt = Math.max(this.#endsAt, this.#context.currentTime);
    source.start(startsAt);
    this.#endsAt = startsAt + buffer.duration;
  }

  /** Stop playback and drop the queue, because the student speaks. */
  hush(): void {
    for (const source of this.#playing) source.stop();
    this.#endsAt = 0;
  }

  close(): void {
    for (const track of this.microphone.getTracks()) {
      track.onended = null;
      track.stop();
    }
    if (this.#context.state !== "closed") void this.#context.close();
  }
}
