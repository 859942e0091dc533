import { isUtf8 } from 'node:buffer';
import { fstatSync, read } from 'node:fs';
import { promisify } from 'node:util';
import { AgentError } from '../core/index.ts';
import type { OpenFile } from './open-file.ts';
import { textKind, type Encoding } from './text-encoding.ts';

const chunkBytes = 1 << 16;
const maxBytes = 200_000_000;
const most = `${maxBytes / 1_000_000} MB`;

/**
 * Reads a file as UTF-8 text, in chunks of complete characters, and hashes the original bytes. Throws
 * `usage.bad-input` for anything other than UTF-8, or UTF-16 with a byte order mark.
 */
export async function* readPieces(
  { handle, shown }: OpenFile,
  hash: { update(bytes: Buffer): unknown },
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const tooMany = tooLarge(`"${shown}" is larger than ${most}.`, `Split it into files of at most ${most}.`);
  if (fstatSync(handle).size > maxBytes) throw tooMany;
  let encoding: Encoding | undefined;
  let line = 1;
  for (let at = 0; ;) {
    signal.throwIfAborted();
    const chunk = Buffer.allocUnsafe(chunkBytes);
    const { bytesRead } = await readChunk(handle, chunk, 0, chunkBytes, at);
    if (bytesRead === 0) return;
    if (at + bytesRead > maxBytes) throw tooMany; // The file grew while it was being read.
    const got = chunk.subarray(0, bytesRead);
    encoding ??= encodingOf(got, shown);
    const bytes = got.subarray(0, wholeLength(got, encoding) || bytesRead);
    hash.update(bytes);
    const text = toUtf8(bytes.subarray(at === 0 ? markLength(bytes, encoding) : 0), encoding);
    if (text === undefined) {
      const bad = line + damagedAt(bytes, encoding);
      const message = `Line ${bad} of "${shown}" is not valid ${encoding.toUpperCase()}.`;
      throw badFile(message, 'Save the file in UTF-8, then try again.', bad);
    }
    yield text;
    line += countLines(text);
    at += bytes.length;
  }
}

const readChunk = promisify(read);

function encodingOf(head: Buffer, shown: string): Encoding {
  const kind = textKind(head);
  if ('encoding' in kind) return kind.encoding;
  const hint = 'Save it as text in UTF-8, then use that file.';
  throw badFile(`"${shown}" is not a text file: ${kind.binary}.`, hint);
}

/** Returns the number of bytes that form complete characters. */
function wholeLength(bytes: Buffer, encoding: Encoding): number {
  if (encoding === 'utf-8') {
    const last = bytes.subarray(-4).findLastIndex((byte) => (byte & 0xc0) !== 0x80);
    const start = Math.max(0, bytes.length - 4) + last;
    const lead = bytes[start] ?? 0;
    const sequenceLength = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    return last >= 0 && start + sequenceLength > bytes.length ? start : bytes.length;
  }
  const even = bytes.length - (bytes.length % 2);
  const high = bytes[encoding === 'utf-16be' ? even - 2 : even - 1] ?? 0;
  return (high & 0xfc) === 0xd8 ? even - 2 : even;
}

function markLength(bytes: Buffer, encoding: Encoding): number {
  if (encoding !== 'utf-8') return 2;
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

function toUtf8(bytes: Buffer, encoding: Encoding): Buffer | undefined {
  if (encoding === 'utf-8') return isUtf8(bytes) ? bytes : undefined;
  try {
    return Buffer.from(new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return undefined; // The bytes are invalid. The caller reports the line number.
  }
}

function countLines(text: Buffer): number {
  let count = 0;
  for (let at = text.indexOf(10); at >= 0; at = text.indexOf(10, at + 1)) count += 1;
  return count;
}

/** Returns the number of line breaks before the first invalid byte. At least one byte must be invalid. */
function damagedAt(bytes: Buffer, encoding: Encoding): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (beginningOf(bytes, middle, encoding) === undefined) bad = middle;
    else good = middle;
  }
  return (beginningOf(bytes, good, encoding) ?? '').split('\n').length - 1;
}

/**
 * Decodes the first `length` bytes. The last character may be incomplete. Returns undefined if the bytes are
 * invalid.
 */
function beginningOf(bytes: Buffer, length: number, encoding: Encoding): string | undefined {
  try {
    const decoder = new TextDecoder(encoding, { fatal: true });
    return decoder.decode(bytes.subarray(0, length), { stream: true });
  } catch {
    return undefined;
  }
}

/** Creates the error for a file whose content cannot be read. */
export function badFile(message: string, hint: string, line?: number, cause?: unknown): AgentError {
  const details = line === undefined ? {} : { details: { line } };
  return new AgentError('usage.bad-input', message, { hint, ...details, cause });
}

/** Creates the error for a file that exceeds a limit. */
export function tooLarge(message: string, hint: string): AgentError {
  return new AgentError('limit.too-large', message, { hint });
}
