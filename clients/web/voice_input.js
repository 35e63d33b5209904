/* Turns what a microphone hears into PCM of 16 bits at 16 kHz, 100 ms at a time. A file of its own,
   because that is all that a content security policy without blob: lets an AudioContext load. */

const RATE = 16_000;

class VoiceInput extends AudioWorkletProcessor {
  #chunk = new Int16Array(RATE / 10);
  #filled = 0;
  #sum = 0;
  #count = 0;
  #due = 0;

  process([[channel = []]]) {
    for (const sample of channel) {
      this.#sum += sample;
      this.#count += 1;
      this.#due += RATE;
      if (this.#due < sampleRate) continue;
      const mean = this.#sum / this.#count;
      for (; this.#due >= sampleRate; this.#due -= sampleRate) this.#add(mean);
      this.#sum = this.#count = 0;
    }
    return true;
  }

  #add(sample) {
    this.#chunk[this.#filled] = Math.max(-1, Math.min(1, sample)) * 0x7fff;
    this.#filled += 1;
    if (this.#filled < this.#chunk.length) return;
    this.port.postMessage(this.#chunk.buffer.slice(0));
    this.#filled = 0;
  }
}

registerProcessor("voice-input", VoiceInput);
