import { hash } from 'node:crypto';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { AgentError, reasonOf, type Issue } from '../../core/index.ts';
import { readOwnFile, stampOf, writeOwnFile } from '../cache/own-file.ts';

/** The most vectors that are kept; those that were not asked for the longest go first. */
export const maxVectors = 100_000;

/** Where the vectors of an embedder are kept: one file each, since only vectors of one name are comparable. */
export function vectorFileOf(folder: string, name: string): string {
  const safe = name.toLowerCase().replace(/[^a-z0-9.-]+/g, '-');
  const mark = safe === name ? '' : `-${hash('sha256', name).slice(0, 8)}`;
  return join(folder, `vectors-${safe.slice(0, 100)}${mark}.bin`);
}

/** Quantised vectors by the content of their texts, kept on disk for the next start; without a file, in memory only. */
export class VectorCache {
  readonly #file: string | undefined;
  readonly #dimensions: number;
  readonly #name: string;
  /** By hash of the text; those that were asked for last stand at the end. */
  readonly #vectors = new Map<string, Int8Array>();
  /** Of the file as it was read or written last. */
  #stamp: string | undefined;
  #isRead = false;
  #isChanged = false;

  constructor(file: string | undefined, dimensions: number, name: string) {
    this.#file = file;
    this.#dimensions = dimensions;
    this.#name = name;
  }

  /** The vector of a text; do not change it. The first call reads the file. */
  get(text: string): Int8Array | undefined {
    if (!this.#isRead) this.#read();
    const key = keyOf(text);
    const vector = this.#vectors.get(key);
    if (vector !== undefined) this.#put(key, vector);
    return vector;
  }

  /** Remembers a vector until the next flush writes it. */
  add(text: string, vector: Int8Array): void {
    if (vector.length !== this.#dimensions) {
      const message = `A vector has ${vector.length} numbers instead of ${this.#dimensions}.`;
      throw new AgentError('internal.bug', message, { hint: 'Use one cache per embedder.' });
    }
    this.#put(keyOf(text), vector.slice());
    this.#isChanged = true;
    this.#dropOldest();
  }

  /** Writes what is new, together with what other processes wrote meanwhile; why it could not is a remark. Never throws. */
  flush(): Issue | undefined {
    const file = this.#file;
    if (file === undefined || !this.#isChanged) return undefined;
    try {
      if (stampOf(file) !== this.#stamp) this.#read();
      this.#stamp = writeOwnFile(file, packVectors(this.#vectors, this.#dimensions, this.#name));
      this.#isChanged = false;
      return undefined;
    } catch (thrown) {
      const message = `Vectors cannot be kept for the next start: ${reasonOf(thrown)}.`;
      return { level: 'info', code: 'cache.unwritable', message, file };
    }
  }

  /** Takes in what the file holds, as older than what is known. */
  #read(): void {
    this.#isRead = true;
    const known = [...this.#vectors];
    for (const [key, vector] of this.#readFile()) this.#vectors.set(key, vector);
    for (const [key, vector] of known) this.#put(key, vector);
    this.#dropOldest();
  }

  #readFile(): Iterable<readonly [string, Int8Array]> {
    if (this.#file === undefined) return [];
    try {
      const { bytes, stamp } = readOwnFile(this.#file);
      this.#stamp = stamp;
      return unpackVectors(bytes, this.#dimensions, this.#name);
    } catch {
      return []; // no file yet, or none that we can read
    }
  }

  #put(key: string, vector: Int8Array): void {
    this.#vectors.delete(key);
    this.#vectors.set(key, vector);
  }

  #dropOldest(): void {
    for (const key of this.#vectors.keys()) {
      if (this.#vectors.size <= maxVectors) return;
      this.#vectors.delete(key);
    }
  }
}

/** The first 16 bytes of the hash of a text, a character each. */
function keyOf(text: string): string {
  return hash('sha256', text, 'binary').slice(0, 16);
}

const keyLength = 16;

/** Vectors as the bytes of a file: a seal, then a record of key and vector for each, in their order. */
function packVectors(
  vectors: ReadonlyMap<string, Int8Array>,
  dimensions: number,
  name: string,
): readonly Uint8Array[] {
  const size = keyLength + dimensions;
  const body = Buffer.allocUnsafe(vectors.size * size);
  let at = 0;
  for (const [key, vector] of vectors) {
    body.write(key, at, 'latin1');
    body.set(vector, at + keyLength);
    at += size;
  }
  return [Buffer.from(`${sealOf(body, dimensions, name)}\n`), body];
}

/** The vectors in the bytes of a file, as views of them; none when they are damaged or were made for something else. */
function* unpackVectors(
  bytes: Buffer,
  dimensions: number,
  name: string,
): Iterable<readonly [key: string, vector: Int8Array]> {
  const end = bytes.indexOf('\n');
  const body = bytes.subarray(end + 1);
  const size = keyLength + dimensions;
  if (end < 0 || bytes.toString('latin1', 0, end) !== sealOf(body, dimensions, name)) return;
  for (let at = 0; at + size <= body.length; at += size) {
    const vector = new Int8Array(body.buffer, body.byteOffset + at + keyLength, dimensions);
    yield [body.toString('latin1', at, at + keyLength), vector];
  }
}

/** The first line of the file: what it was made for and a checksum, so that nothing foreign or damaged is believed. */
function sealOf(body: Buffer, dimensions: number, name: string): string {
  return `skilled-vectors 1 ${hash('sha256', name)} ${dimensions} ${body.length} ${crc32(body)}`;
}
