import { checksumOf } from '../../cache/own-file.ts';
import { fields, impactOf } from '../fields.ts';
import { StoredIndex, recordHead, sealSize, type IndexHead, type SkillTerms } from './stored-index.ts';
import { buildStringTable } from './string-table.ts';
import { end, type TermIndex } from '../term-index.ts';

/** An index as one block of bytes, with the part that every ranking uses. */
export interface BuiltIndex {
  readonly bytes: Uint8Array;
  readonly head: IndexHead;
}

/**
 * Builds an index that does not change from the skills of another one. Slots and terms get new numbers
 * without gaps. Slots without a key are left out. `pause` yields to the event loop.
 */
export async function buildIndex(
  contents: TermIndex,
  keyOf: (slot: number) => string | undefined,
  pause: () => Promise<void> | undefined,
): Promise<BuiltIndex> {
  const slots: number[] = [];
  const keys: string[] = [];
  for (let slot = 0; slot < contents.slots; slot++) {
    const key = contents.has(slot) ? keyOf(slot) : undefined;
    if (key === undefined) continue;
    slots.push(slot);
    keys.push(key);
  }
  const numbers = new Map<number, number>();
  const frequencies: number[] = [];
  const records = new Uint32Array(slots.length + 1);
  const lengths = new Uint32Array(slots.length * fields.length);
  for (const [index, slot] of slots.entries()) {
    const skill = contents.skillAt(slot);
    for (const id of skill.terms) {
      const number = numbers.get(id) ?? numbers.size;
      numbers.set(id, number);
      frequencies[number] = (frequencies[number] ?? 0) + 1;
    }
    records[index + 1] = (records[index] ?? 0) + recordUnits(skill);
    fields.forEach((_, field) => (lengths[index * fields.length + field] = contents.lengthOf(slot, field)));
    await pause();
  }
  const postings = new Uint32Array(frequencies.length + 1);
  postings[0] = records[slots.length] ?? 0;
  for (const [number, frequency] of frequencies.entries())
    postings[number + 1] = (postings[number] ?? 0) + frequency + 1;
  const bytes = new Uint8Array(8 * (postings[frequencies.length] ?? 0));
  const next = new Uint32Array(frequencies.length);
  for (const [index, slot] of slots.entries()) {
    const skill = contents.skillAt(slot);
    const start = 8 * (records[index] ?? 0);
    writeRecord(bytes.subarray(start, 8 * (records[index + 1] ?? 0)), skill, numbers);
    skill.terms.forEach((id, position) => {
      const number = numbers.get(id) ?? 0;
      const at = next[number] ?? 0;
      next[number] = at + 1;
      const block = new DataView(bytes.buffer, 8 * (postings[number] ?? 0));
      block.setUint32(4 * at, index, true);
      const impact = impactOf(slot, skill.counts[position] ?? 0, contents);
      block.setFloat32(4 * ((frequencies[number] ?? 0) + at), impact, true);
    });
    await pause();
  }
  for (const number of frequencies.keys()) {
    seal(bytes.subarray(8 * (postings[number] ?? 0), 8 * (postings[number + 1] ?? 0)));
    await pause();
  }
  const ids = [...numbers.keys()];
  const terms: string[] = [];
  for (const id of ids) {
    terms.push(contents.termAt(id));
    await pause();
  }
  const head: IndexHead = {
    terms: await buildStringTable(terms, pause),
    keys: await buildStringTable(keys, pause),
    shares: Float64Array.from(ids, (id) => contents.shareOf(id)),
    lengths,
    records,
    postings,
  };
  return { bytes, head };
}

/** Returns an index whose bytes are in memory. */
export function indexInMemory({ bytes, head }: BuiltIndex): StoredIndex {
  const read = (start: number, length: number): Uint8Array => bytes.subarray(start, start + length);
  return new StoredIndex({ isChecked: true, read, close: () => undefined }, head);
}

/** Returns the size of a skill's record in units of eight bytes, with its checksum. */
function recordUnits({ terms, sentences, opening }: SkillTerms): number {
  const body = recordHead + 4 * (2 * terms.length + sentences.length) + Buffer.byteLength(opening);
  return Math.ceil((body + sealSize) / 8);
}

function writeRecord(bytes: Uint8Array, skill: SkillTerms, numbers: ReadonlyMap<number, number>): void {
  const view = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const renumbered = (ids: Uint32Array): Uint32Array => ids.map((id) => numbers.get(id) ?? end);
  const opening = Buffer.from(skill.opening);
  const body = [renumbered(skill.terms), skill.counts, renumbered(skill.sentences)];
  view.set([skill.terms.length, skill.sentences.length, opening.length]);
  let at = recordHead / 4;
  for (const numbersOf of body) {
    view.set(numbersOf, at);
    at += numbersOf.length;
  }
  bytes.set(opening, 4 * at);
  seal(bytes);
}

/** Writes the checksum of a part at its end. */
function seal(part: Uint8Array): void {
  const at = part.length - sealSize;
  new Uint32Array(part.buffer, part.byteOffset + at, 1)[0] = checksumOf(part.subarray(0, at));
}
