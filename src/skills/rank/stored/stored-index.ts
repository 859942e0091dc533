import { checksumOf } from '../../cache/own-file.ts';
import { findString, stringAt, type StringTable } from './string-table.ts';

/** The bytes of an index, in memory or in a file. Only the parts in use are read from a file. */
export interface IndexBytes {
  /** Whether the bytes need no comparison with their checksums, because they never left this process. */
  readonly isChecked: boolean;
  /** Returns bytes that start at a multiple of eight. Callers must not change them. */
  read(start: number, length: number): Uint8Array;
  close(): void;
}

/** The part of an index that every ranking uses. It is in memory as a whole. */
export interface IndexHead {
  readonly terms: StringTable;
  /** The key of the skill in each slot. */
  readonly keys: StringTable;
  /** For each term, the estimated share of skills in general that contain it. */
  readonly shares: Float64Array;
  /** The lengths of the four fields of each slot. */
  readonly lengths: Uint32Array;
  /** The start of each skill's record, and the end of the last one, in units of eight bytes. */
  readonly records: Uint32Array;
  /** The start of each term's postings, and the end of the last one, in units of eight bytes. */
  readonly postings: Uint32Array;
}

/** The terms and texts of one skill. */
export interface SkillTerms {
  readonly terms: Uint32Array;
  /** The packed counts of each term. */
  readonly counts: Uint32Array;
  readonly sentences: Uint32Array;
  /** The start of the prose, which has a vector of its own. */
  readonly opening: string;
}

/** The skills that contain a term, in order, and the impact of the term in each of them. */
export interface TermPostings {
  readonly slots: Uint32Array;
  readonly impacts: Float32Array;
}

/** The size of the numbers in front of a record: its counts of terms, of numbers in sentences, and of bytes. */
export const recordHead = 16;
/** The size of the checksum after a record, padded to a multiple of eight. */
export const sealSize = 8;

/**
 * An index that does not change, built by an earlier start or earlier in this process. Its numbers of terms
 * and slots start at 0. Throws if a part of it is damaged.
 */
export class StoredIndex {
  readonly #bytes: IndexBytes;
  readonly #head: IndexHead;
  // Ranking reads the terms of a skill, and then its sentences.
  #last: { readonly slot: number; readonly record: SkillTerms } | undefined;

  constructor(bytes: IndexBytes, head: IndexHead) {
    this.#bytes = bytes;
    this.#head = head;
  }

  get slots(): number {
    return this.#head.records.length - 1;
  }

  get terms(): number {
    return this.#head.postings.length - 1;
  }

  idOf(term: string): number | undefined {
    return findString(this.#head.terms, term);
  }

  termAt(id: number): string {
    return stringAt(this.#head.terms, id);
  }

  slotOf(key: string): number | undefined {
    return findString(this.#head.keys, key);
  }

  shareOf(id: number): number {
    return this.#head.shares[id] ?? 0;
  }

  lengthOf(slot: number, field: number): number {
    return this.#head.lengths[slot * 4 + field] ?? 0;
  }

  /** Returns the number of skills that contain a term. A checksum follows the postings. */
  frequencyOf(id: number): number {
    const { postings } = this.#head;
    return Math.max(0, (postings[id + 1] ?? 0) - (postings[id] ?? 0) - 1);
  }

  postingsOf(id: number): TermPostings {
    const count = this.frequencyOf(id);
    const bytes = this.#read(this.#head.postings[id] ?? 0, this.#head.postings[id + 1] ?? 0);
    return {
      slots: new Uint32Array(bytes.buffer, bytes.byteOffset, count),
      impacts: new Float32Array(bytes.buffer, bytes.byteOffset + 4 * count, count),
    };
  }

  /** Returns the terms and texts of the skill in a slot. */
  skillAt(slot: number): SkillTerms {
    if (this.#last?.slot === slot) return this.#last.record;
    const bytes = this.#read(this.#head.records[slot] ?? 0, this.#head.records[slot + 1] ?? 0);
    const numbers = new Uint32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / 4));
    const [terms = 0, sentences = 0, opening = 0] = numbers;
    const start = recordHead / 4;
    const text = recordHead + 4 * (2 * terms + sentences);
    const record = {
      terms: numbers.subarray(start, start + terms),
      counts: numbers.subarray(start + terms, start + 2 * terms),
      sentences: numbers.subarray(start + 2 * terms, start + 2 * terms + sentences),
      opening: Buffer.from(bytes.buffer, bytes.byteOffset + text, opening).toString('utf8'),
    };
    this.#last = { slot, record };
    return record;
  }

  close(): void {
    this.#bytes.close();
  }

  #read(start: number, end: number): Uint8Array {
    const length = 8 * (end - start) - sealSize;
    const bytes = this.#bytes.read(8 * start, length + sealSize);
    const seal = new Uint32Array(bytes.buffer, bytes.byteOffset + length, 1);
    const body = bytes.subarray(0, length);
    if (!this.#bytes.isChecked && seal[0] !== checksumOf(body)) throw new Error('The index is damaged.');
    return body;
  }
}
