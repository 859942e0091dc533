import type { Embedder, Issue } from '../../core/index.ts';
import type { Searchable } from './fields.ts';
import type { VectorCache } from './vector-cache.ts';

/** The parts of a skill that have their own vector: its description, its name, and the start of its body. */
const kinds = ['description', 'name', 'opening'] as const;

/** A part of a skill that has its own vector. */
type Kind = (typeof kinds)[number];

// The maximum number of characters to embed. Longer texts take more time without improving the results.
const purposeLength = 500;
const openingLength = 400;
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
  add(slot: number, { name, description, whenToUse = '' }: Searchable, prose: string): void {
    this.#makeRoom(slot + 1);
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
    return store === undefined ? 0 : nearnessAt(store, slot * prompt.length, prompt, length);
  }

  /** Returns the slots of the skills whose descriptions are most similar to a prompt, best first. */
  nearest(
    prompt: Int8Array,
    most: number,
    isIncluded: (slot: number) => boolean,
    compare?: (a: number, b: number) => number,
  ): readonly number[] {
    return largestOf(this.scores(prompt), most, isIncluded, compare);
  }

  /** Returns the similarities between all descriptions and a prompt, indexed by slot. */
  scores(prompt: Int8Array): Float64Array {
    const length = lengthOf(prompt);
    const scores = new Float64Array(this.#size);
    for (let slot = 0; slot < this.#size; slot++)
      scores[slot] = this.nearness('description', slot, prompt, length);
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
      const vectors = await this.#embedder.embed(texts, signal === undefined ? {} : { signal });
      texts.forEach((text, index) => {
        const vector = vectors[index];
        if (vector === undefined) throw new Error('The embedder returned too few vectors.');
        this.#learned(text, quantise(vector));
      });
      if (performance.now() - savedAt < saveIntervalMs) continue;
      this.save();
      savedAt = performance.now();
    }
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
    this.#stores[kind]?.set(vector, slot * this.#embedder.dimensions);
  }

  #makeRoom(slots: number): void {
    this.#size = Math.max(this.#size, slots);
    const needed = slots * this.#embedder.dimensions;
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

/**
 * Compresses a vector to eight bits per number. The largest number becomes 127, so the vector's length is
 * lost.
 */
export function quantise(vector: Float32Array): Int8Array {
  let largest = 0;
  for (const number of vector) largest = Math.max(largest, Math.abs(number));
  const scale = largest === 0 ? 0 : 127 / largest;
  const quantised = new Int8Array(vector.length);
  for (const [index, number] of vector.entries()) quantised[index] = Math.round(number * scale);
  return quantised;
}

/**
 * Returns the cosine similarity of two compressed vectors with the same number of dimensions. It is 1 for the
 * same direction, and 0 if one of the vectors is zero. Pure.
 */
export function nearness(a: Int8Array, b: Int8Array): number {
  return nearnessAt(a, 0, b);
}

/**
 * Like `nearness`, but for the vector at an offset in an array. `length` is the length of the query vector.
 */
export function nearnessAt(
  store: Int8Array,
  offset: number,
  query: Int8Array,
  length = lengthOf(query),
): number {
  let product = 0;
  let square = 0;
  let index = 0;
  // Process four numbers at a time, because this loop takes most of the search time.
  for (const end = query.length - 3; index < end; index += 4) {
    const at = offset + index;
    const a = store[at] ?? 0;
    const b = store[at + 1] ?? 0;
    const c = store[at + 2] ?? 0;
    const d = store[at + 3] ?? 0;
    product =
      (product +
        a * (query[index] ?? 0) +
        b * (query[index + 1] ?? 0) +
        c * (query[index + 2] ?? 0) +
        d * (query[index + 3] ?? 0)) |
      0;
    square = (square + a * a + b * b + c * c + d * d) | 0;
  }
  for (; index < query.length; index += 1) {
    const a = store[offset + index] ?? 0;
    product += a * (query[index] ?? 0);
    square += a * a;
  }
  return square === 0 || length === 0 ? 0 : product / (Math.sqrt(square) * length);
}

/** Returns the length of a compressed vector. */
export function lengthOf(vector: Int8Array): number {
  let square = 0;
  for (let index = 0; index < vector.length; index += 1) {
    const number = vector[index] ?? 0;
    square = (square + number * number) | 0;
  }
  return Math.sqrt(square);
}

/**
 * Returns the slots with the highest positive scores, best first. `compare` orders equal scores. By default,
 * the lower slot comes first.
 */
export function largestOf(
  scores: Float64Array,
  most: number,
  isIncluded: (slot: number) => boolean,
  compare: (a: number, b: number) => number = (a, b) => a - b,
): number[] {
  const best: number[] = [];
  if (most >= scores.length / 4) {
    scores.forEach((score, slot) => score > 0 && isIncluded(slot) && best.push(slot));
    return best.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || compare(a, b)).slice(0, most);
  }
  const isBefore = (a: number, b: number): boolean =>
    ((scores[b] ?? 0) - (scores[a] ?? 0) || compare(a, b)) < 0;
  let least = 0;
  for (let slot = 0; slot < scores.length; slot++) {
    const score = scores[slot] ?? 0;
    if (score <= 0 || score < least || !isIncluded(slot)) continue;
    let position = best.length;
    while (position > 0 && isBefore(slot, best[position - 1] ?? 0)) position--;
    best.splice(position, 0, slot);
    if (best.length <= most) continue;
    best.pop();
    least = scores[best[most - 1] ?? 0] ?? 0;
  }
  return best;
}
