import type { EmbedOptions, Embedder, Issue } from '../../core/index.ts';
import type { Searchable } from './fields.ts';
import type { VectorCache } from './vector-cache.ts';
import { lengthOf, nearnessAt, quantise } from './vectors.ts';

/** The parts of a skill that have their own vector: its description, its name, and the start of its body. */
const kinds = ['description', 'name', 'opening'] as const;

/** A part of a skill that has its own vector. */
type Kind = (typeof kinds)[number];

// The maximum number of characters to embed. Longer texts take more time without improving the results.
const purposeLength = 500;
/** The number of characters at the start of the prose that have a vector of their own. */
export const openingLength = 400;
const batch = 16;
// The interval at which new vectors are saved, in milliseconds. It is short, so that few vectors are lost if
// the process is interrupted.
const saveIntervalMs = 3_000;

interface Gap {
  readonly slot: number;
  readonly kind: number;
}

/** The vectors of skills, keyed by slot in the index. `learn` computes missing vectors. */
export class SkillVectors {
  readonly #embedder: Embedder;
  readonly #cache: VectorCache;
  #stores = kinds.map(() => new Int8Array(0));
  /** The parts of skills without a vector, keyed by their text. */
  readonly #gaps = new Map<string, Gap[]>();
  /** The texts that had no vector when their skill was added, keyed by slot. */
  readonly #unknown = new Map<number, readonly string[]>();
  /** The position of each skill's vectors, keyed by slot. Most skills of a large collection have none. */
  readonly #rows = new Map<number, number>();
  #learning: Promise<void> | undefined;
  #size = 0;

  constructor(embedder: Embedder, cache: VectorCache) {
    this.#embedder = embedder;
    this.#cache = cache;
  }

  /** Whether every skill has all its vectors. */
  get isComplete(): boolean {
    return this.#gaps.size === 0;
  }

  /** The number of distinct texts without a vector. */
  get missing(): number {
    return this.#gaps.size;
  }

  /** Adds a skill. Uses vectors that are already known, and records which ones are missing. */
  add(slot: number, { name, description, whenToUse = '' }: Omit<Searchable, 'body'>, prose: string): void {
    this.#size = Math.max(this.#size, slot + 1);
    const purpose = `${description} ${whenToUse}`.trim().slice(0, purposeLength);
    const texts = [purpose, spoken(name), prose.slice(0, openingLength) || purpose];
    texts.forEach((text, kind) => {
      const known = this.#cache.get(text);
      if (known !== undefined) this.#put(slot, kind, known);
      else this.#note(text, { slot, kind });
    });
  }

  /** Removes a skill. */
  remove(slot: number): void {
    for (const text of this.#unknown.get(slot) ?? []) {
      const left = (this.#gaps.get(text) ?? []).filter((gap) => gap.slot !== slot);
      if (left.length === 0) this.#gaps.delete(text);
      else this.#gaps.set(text, left);
    }
    this.#unknown.delete(slot);
  }

  /** Whether a skill has all its vectors. */
  knows(slot: number): boolean {
    return this.#unknown.get(slot)?.some((text) => this.#gaps.has(text)) !== true;
  }

  /** Computes the missing vectors of some skills before all others. */
  async learnFirst(slots: readonly number[], signal: AbortSignal): Promise<void> {
    const missing = slots.flatMap((slot) => this.#unknown.get(slot) ?? []);
    const texts = [...new Set(missing)].filter((text) => this.#gaps.has(text));
    await this.#embed(texts, { signal, urgent: true });
  }

  /**
   * Computes all missing vectors, including those of skills added in the meantime. Resolves when no vector is
   * missing or the signal aborts.
   */
  learn(signal?: AbortSignal): Promise<void> {
    this.#learning ??= this.#learn(signal).finally(() => (this.#learning = undefined));
    return this.#learning;
  }

  /** Returns the vector of a prompt. */
  async read(prompt: string): Promise<Int8Array> {
    const text = spoken(prompt);
    const known = this.#cache.get(text);
    if (known !== undefined) return known;
    const [vector] = await this.#embedder.embed([text], { urgent: true });
    if (vector === undefined) throw new Error('The embedder returned no vector.');
    return quantise(vector);
  }

  /** Returns the similarity between a part of a skill and a prompt, from -1 to 1. */
  nearness(kind: Kind, slot: number, prompt: Int8Array, length = lengthOf(prompt)): number {
    const store = this.#stores[kinds.indexOf(kind)];
    const row = this.#rows.get(slot);
    return store === undefined || row === undefined
      ? 0
      : nearnessAt(store, row * prompt.length, prompt, length);
  }

  /** Returns the similarities between all descriptions and a prompt, indexed by slot. */
  scores(prompt: Int8Array): Float64Array {
    const length = lengthOf(prompt);
    const scores = new Float64Array(this.#size);
    for (const slot of this.#rows.keys()) scores[slot] = this.nearness('description', slot, prompt, length);
    return scores;
  }

  /** Saves new vectors for the next start. Returns an issue if saving fails. */
  save(): Issue | undefined {
    return this.#cache.flush();
  }

  async #learn(signal: AbortSignal | undefined): Promise<void> {
    let savedAt = performance.now();
    while (this.#gaps.size > 0 && signal?.aborted !== true) {
      const texts: string[] = [];
      for (const text of this.#gaps.keys()) if (texts.push(text) >= batch) break;
      await this.#embed(texts, signal === undefined ? {} : { signal });
      if (performance.now() - savedAt < saveIntervalMs) continue;
      this.save();
      savedAt = performance.now();
    }
  }

  async #embed(texts: readonly string[], options: EmbedOptions): Promise<void> {
    const vectors = await this.#embedder.embed(texts, options);
    texts.forEach((text, index) => {
      const vector = vectors[index];
      if (vector === undefined) throw new Error('The embedder returned too few vectors.');
      this.#learned(text, quantise(vector));
    });
  }

  #learned(text: string, vector: Int8Array): void {
    this.#cache.add(text, vector);
    for (const { slot, kind } of this.#gaps.get(text) ?? []) this.#put(slot, kind, vector);
    this.#gaps.delete(text);
    if (this.#gaps.size === 0) this.#unknown.clear();
  }

  #note(text: string, gap: Gap): void {
    const gaps = this.#gaps.get(text);
    if (gaps === undefined) this.#gaps.set(text, [gap]);
    else gaps.push(gap);
    this.#unknown.set(gap.slot, [...(this.#unknown.get(gap.slot) ?? []), text]);
  }

  #put(slot: number, kind: number, vector: Int8Array): void {
    const row = this.#rows.get(slot) ?? this.#rows.size;
    this.#rows.set(slot, row);
    this.#makeRoom(row + 1);
    this.#stores[kind]?.set(vector, row * this.#embedder.dimensions);
  }

  #makeRoom(rows: number): void {
    const needed = rows * this.#embedder.dimensions;
    if (needed <= (this.#stores[0]?.length ?? 0)) return;
    this.#stores = this.#stores.map((store) => {
      const larger = new Int8Array(Math.max(needed, store.length * 2));
      larger.set(store);
      return larger;
    });
  }
}

/** Converts a name or prompt to separate words without markup. */
function spoken(text: string): string {
  return text
    .slice(0, 4_000)
    .replace(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, '$1 ')
    .replace(/[-_/:`*>|#]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 1_500);
}
