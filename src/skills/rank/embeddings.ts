import type { Embedder, Issue } from '../../core/index.ts';
import type { Searchable } from './fields.ts';
import type { VectorCache } from './vector-cache.ts';

/** The texts of a skill that have a vector each: what it is for, what it is called, how its body starts. */
const kinds = ['description', 'name', 'opening'] as const;

/** One of the texts that have vectors. */
type Kind = (typeof kinds)[number];

// In characters: longer texts take longer to encode and tell no more.
const purposeLength = 500;
const openingLength = 400;
const batch = 16;
const keepEvery = 3_000; // milliseconds: who loses patience must not lose what was learned

interface Gap {
  readonly slot: number;
  readonly kind: number;
}

/** The vectors of the skills, by slot; those that are not known yet are learned in the background. */
export class SkillVectors {
  readonly #embedder: Embedder;
  readonly #cache: VectorCache;
  #stores = kinds.map(() => new Int8Array(0));
  /** By text: where its vector is missing. */
  readonly #gaps = new Map<string, Gap[]>();
  /** By slot: the texts that had no vector when it came. */
  readonly #unknown = new Map<number, readonly string[]>();
  #learning: Promise<void> | undefined;
  #size = 0;

  constructor(embedder: Embedder, cache: VectorCache) {
    this.#embedder = embedder;
    this.#cache = cache;
  }

  /** Whether every skill has its vectors. */
  get isComplete(): boolean {
    return this.#gaps.size === 0;
  }

  /** How many texts have no vector yet. */
  get missing(): number {
    return this.#gaps.size;
  }

  /** Takes in a skill, with the vectors that are known already. */
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

  /** Forgets a skill. */
  remove(slot: number): void {
    for (const text of this.#unknown.get(slot) ?? []) {
      const left = (this.#gaps.get(text) ?? []).filter((gap) => gap.slot !== slot);
      if (left.length === 0) this.#gaps.delete(text);
      else this.#gaps.set(text, left);
    }
    this.#unknown.delete(slot);
  }

  /** Learns the vectors that are missing, also those that come meanwhile; resolves when there are none, or when aborted. */
  learn(signal?: AbortSignal): Promise<void> {
    this.#learning ??= this.#learn(signal).finally(() => (this.#learning = undefined));
    return this.#learning;
  }

  /** The vector of a prompt. */
  async read(prompt: string): Promise<Int8Array> {
    const text = spoken(prompt);
    const known = this.#cache.get(text);
    if (known !== undefined) return known;
    const [vector] = await this.#embedder.embed([text], { urgent: true });
    if (vector === undefined) throw new Error('The embedder gave no vector.');
    return quantise(vector);
  }

  /** How near a text of a skill is to a prompt, from -1 to 1. */
  nearness(kind: Kind, slot: number, prompt: Int8Array, length = lengthOf(prompt)): number {
    const store = this.#stores[kinds.indexOf(kind)];
    return store === undefined ? 0 : nearnessAt(store, slot * prompt.length, prompt, length);
  }

  /** The skills whose descriptions are nearest to a prompt. */
  nearest(
    prompt: Int8Array,
    most: number,
    isWanted: (slot: number) => boolean,
    compare?: (a: number, b: number) => number,
  ): readonly number[] {
    const length = lengthOf(prompt);
    const scores = new Float64Array(this.#size);
    for (let slot = 0; slot < this.#size; slot++)
      scores[slot] = this.nearness('description', slot, prompt, length);
    return largestOf(scores, most, isWanted, compare);
  }

  /** Writes what was learned for the next start; why it could not is a remark. */
  keep(): Issue | undefined {
    return this.#cache.flush();
  }

  async #learn(signal: AbortSignal | undefined): Promise<void> {
    let kept = performance.now();
    while (this.#gaps.size > 0 && signal?.aborted !== true) {
      const texts: string[] = [];
      for (const text of this.#gaps.keys()) if (texts.push(text) >= batch) break;
      const vectors = await this.#embedder.embed(texts, signal === undefined ? {} : { signal });
      texts.forEach((text, index) => {
        const vector = vectors[index];
        if (vector === undefined) throw new Error('The embedder gave too few vectors.');
        this.#learned(text, quantise(vector));
      });
      if (performance.now() - kept < keepEvery) continue;
      this.keep();
      kept = performance.now();
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

/** Names and prompts as prose: words apart, no markup. */
function spoken(text: string): string {
  return text
    .slice(0, 4_000)
    .replace(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, '$1 ')
    .replace(/[-_/:`*>|#]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 1_500);
}

/** The vector in a quarter of its space: eight bits per number, its largest at the full 127, its length given up. */
export function quantise(vector: Float32Array): Int8Array {
  let largest = 0;
  for (const number of vector) largest = Math.max(largest, Math.abs(number));
  const scale = largest === 0 ? 0 : 127 / largest;
  const quantised = new Int8Array(vector.length);
  for (const [index, number] of vector.entries()) quantised[index] = Math.round(number * scale);
  return quantised;
}

/** The cosine of two quantised vectors of the same dimensions: 1 for the same direction, 0 where one is empty. Pure. */
export function nearness(a: Int8Array, b: Int8Array): number {
  return nearnessAt(a, 0, b);
}

/** The same for one of many vectors that lie in a row; give the length of the query where it meets many of them. */
export function nearnessAt(
  store: Int8Array,
  offset: number,
  query: Int8Array,
  length = lengthOf(query),
): number {
  let product = 0;
  let square = 0;
  let index = 0;
  // Four at a time and whole numbers throughout: this loop decides how long a search takes.
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

/** How long a quantised vector is, in its own steps. */
export function lengthOf(vector: Int8Array): number {
  let square = 0;
  for (let index = 0; index < vector.length; index += 1) {
    const number = vector[index] ?? 0;
    square = (square + number * number) | 0;
  }
  return Math.sqrt(square);
}

/** The slots with the largest positive scores, best first; equal ones as `compare` says, else in the order of their slots. */
export function largestOf(
  scores: Float64Array,
  most: number,
  isWanted: (slot: number) => boolean,
  compare: (a: number, b: number) => number = (a, b) => a - b,
): number[] {
  const best: number[] = [];
  if (most >= scores.length / 4) {
    scores.forEach((score, slot) => score > 0 && isWanted(slot) && best.push(slot));
    return best.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || compare(a, b)).slice(0, most);
  }
  const isBefore = (a: number, b: number): boolean =>
    ((scores[b] ?? 0) - (scores[a] ?? 0) || compare(a, b)) < 0;
  let least = 0;
  for (let slot = 0; slot < scores.length; slot++) {
    const score = scores[slot] ?? 0;
    if (score <= 0 || score < least || !isWanted(slot)) continue;
    let place = best.length;
    while (place > 0 && isBefore(slot, best[place - 1] ?? 0)) place--;
    best.splice(place, 0, slot);
    if (best.length <= most) continue;
    best.pop();
    least = scores[best[most - 1] ?? 0] ?? 0;
  }
  return best;
}
