import { hash } from 'node:crypto';
import { join } from 'node:path';
import { AgentError, reasonOf, type Issue } from '../../core/index.ts';
import { checksumOf, readOwnFile, stampOf, writeOwnFile } from '../cache/own-file.ts';

/** The maximum number of vectors. The least recently used vectors are removed first. */
export const maxVectors = 100_000;

/**
 * Returns the path of the file for an embedder's vectors. Each embedder has its own file, because vectors of
 * different embedders are not comparable.
 */
export function vectorFileOf(folder: string, name: string): string {
  const safe = name.toLowerCase().replace(/[^a-z0-9.-]+/g, '-');
  const mark = safe === name ? '' : `-${hash('sha256', name).slice(0, 8)}`;
  return join(folder, `vectors-${safe.slice(0, 100)}${mark}.bin`);
}

/** A cache of compressed vectors, keyed by text. Without a file, vectors are only kept in memory. */
export class VectorCache {
  readonly #file: string | undefined;
  readonly #dimensions: number;
  readonly #name: string;
  /** The vectors, keyed by the hash of their text. The most recently used vector is last. */
  readonly #vectors = new Map<string, Int8Array>();
  /** The fingerprint of the file when it was last read or written. */
  #stamp: string | undefined;
  #isRead = false;
  #isChanged = false;

  constructor(file: string | undefined, dimensions: number, name: string) {
    this.#file = file;
    this.#dimensions = dimensions;
    this.#name = name;
  }

  /** Returns the vector of a text. Callers must not change it. The first call reads the file. */
  get(text: string): Int8Array | undefined {
    if (!this.#isRead) this.#read();
    const key = keyOf(text);
    const vector = this.#vectors.get(key);
    if (vector !== undefined) this.#put(key, vector);
    return vector;
  }

  /** Adds a vector. The next flush writes it to the file. */
  add(text: string, vector: Int8Array): void {
    if (vector.length !== this.#dimensions) {
      const message = `A vector has ${vector.length} numbers instead of ${this.#dimensions}.`;
      throw new AgentError('internal.bug', message, { hint: 'Use one cache per embedder.' });
    }
    this.#put(keyOf(text), vector.slice());
    this.#isChanged = true;
    this.#dropOldest();
  }

  /**
   * Writes new vectors to the file. Keeps vectors that other processes have written. Returns an issue if
   * writing fails. Never throws.
   */
  flush(): Issue | undefined {
    const file = this.#file;
    if (file === undefined || !this.#isChanged) return undefined;
    try {
      if (stampOf(file) !== this.#stamp) this.#read();
      this.#stamp = writeOwnFile(file, packVectors(this.#vectors, this.#dimensions, this.#name));
      this.#isChanged = false;
      return undefined;
    } catch (thrown) {
      const message = `Cannot save vectors for the next start: ${reasonOf(thrown)}.`;
      return { level: 'info', code: 'cache.unwritable', message, file };
    }
  }

  /** Adds the vectors in the file. These are treated as less recently used than the vectors in memory. */
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
      return []; // The file does not exist yet or cannot be read.
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

/** Returns the first 16 bytes of a text's hash, as a string with one character for each byte. */
function keyOf(text: string): string {
  return hash('sha256', text, 'binary').slice(0, 16);
}

const keyLength = 16;

/** Encodes vectors for a file: a header line, followed by each key and its vector. */
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

/**
 * Decodes the vectors in a file without copying them. Yields none if the file is damaged or belongs to
 * another embedder.
 */
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

/**
 * Returns the first line of a vector file. It contains the embedder, the dimensions and a checksum, so that
 * foreign and damaged files can be rejected.
 */
function sealOf(body: Buffer, dimensions: number, name: string): string {
  return `skilled-vectors 1 ${hash('sha256', name)} ${dimensions} ${body.length} ${checksumOf(body)}`;
}
