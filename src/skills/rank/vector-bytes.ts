import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

const keyLength = 16;

/** Vectors as the bytes of a file: a seal, then a record of key and vector for each, in their order. */
export function packVectors(
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
export function* unpackVectors(
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
