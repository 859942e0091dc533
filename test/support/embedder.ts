import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import type { Embedder, EmbedOptions } from '../../src/core/model/sources.ts';
import { AgentError } from '../../src/core/error.ts';

const dimensions = 64;

/**
 * A test embedder. Texts with the same words have the same vector, and texts that share words have similar
 * vectors.
 */
export class WordEmbedder implements Embedder {
  readonly name: string = 'words-of-a-test';
  readonly dimensions = dimensions;
  /** Every text that was embedded in the background, in order. */
  readonly learned: string[] = [];
  /** Every text that a caller waited for. */
  readonly asked: string[] = [];
  /** If set, every following call rejects with this error. */
  failure: Error | undefined;
  /** The duration of each call in milliseconds. */
  delay = 0;
  isClosed = false;
  #latch: { readonly opened: Promise<unknown>; readonly open: () => void } | undefined;

  /** Blocks every call until the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<true>();
    const open = (): void => {
      this.#latch = undefined;
      resolve(true);
    };
    this.#latch = { opened: promise, open };
    return open;
  }

  async embed(texts: readonly string[], options: EmbedOptions = {}): Promise<readonly Float32Array[]> {
    (options.urgent === true ? this.asked : this.learned).push(...texts);
    await this.#latch?.opened;
    await (this.delay > 0 ? pause(this.delay) : turn());
    if (this.failure !== undefined) throw this.failure;
    if (this.isClosed || options.signal?.aborted === true) {
      throw new AgentError('model.aborted', 'The encoder was closed.');
    }
    return texts.map(vectorOf);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.#latch?.open();
  }
}

function vectorOf(text: string): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const dimension = dimensionOf(word);
    vector[dimension] = (vector[dimension] ?? 0) + 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((number) => number / length);
}

function dimensionOf(word: string): number {
  let hash = 7;
  for (const letter of word) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0;
  return hash % dimensions;
}
