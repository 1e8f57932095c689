import { freeBuffer } from '../../kernel/free-buffer.ts';

/**
 * The bytes of a body while it arrives, in one memory. A list of the chunks would take hundreds of bytes for each,
 * and a client may send one byte per chunk.
 */
export class GatheredBytes {
  /** The bytes so far. */
  length = 0;
  #memory: Buffer | null = null;
  readonly #most: number;

  /** The body has at most `most` bytes: its length, where that is known. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Takes over a chunk, which nobody else may use any more. */
  add(chunk: Buffer): void {
    const end = this.length + chunk.length;
    // As a rule the first chunk is the only one.
    if (!this.#memory) this.#memory = chunk;
    else {
      if (end > this.#memory.length) this.#memory = this.#grown(this.#memory, end);
      chunk.copy(this.#memory, this.length);
      freeBuffer(chunk);
    }
    this.length = end;
  }

  /** All bytes. Nothing may be added afterwards. */
  whole(): Buffer {
    return (this.#memory ?? Buffer.alloc(0)).subarray(0, this.length);
  }

  #grown(memory: Buffer, end: number): Buffer {
    const grown = Buffer.allocUnsafeSlow(Math.max(end, Math.min(2 * memory.length, this.#most)));
    memory.copy(grown, 0, 0, this.length);
    freeBuffer(memory);
    return grown;
  }
}
