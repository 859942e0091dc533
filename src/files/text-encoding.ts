import { AgentError } from '../core/error.ts';

/**
 * The bytes of a file as letters that can be searched and put back without changing any other byte: one for each
 * byte of UTF-8, even where it is damaged, and one for each pair of bytes of UTF-16.
 */
export function lettersOf(bytes: Buffer, encoding: Encoding): string {
  if (encoding === 'utf-8') return bytes.toString('latin1');
  return (encoding === 'utf-16be' ? Buffer.from(bytes).swap16() : bytes).toString('utf16le');
}

/** The bytes that letters stand for. */
export function bytesOf(letters: string, encoding: Encoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(letters, 'latin1');
  const bytes = Buffer.from(letters, 'utf16le');
  return encoding === 'utf-16be' ? bytes.swap16() : bytes;
}

/** A text as the letters that it would be in a file. */
export function toLetters(text: string, encoding: Encoding): string {
  return encoding === 'utf-8' ? Buffer.from(text, 'utf8').toString('latin1') : text;
}

/** Letters as a text to read. */
export function toText(letters: string, encoding: Encoding): string {
  return encoding === 'utf-8' ? Buffer.from(letters, 'latin1').toString('utf8') : letters;
}

/** How the text of a file is written. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** What the beginning of a file says of it: a text in this encoding, or something else with a name for people. */
type TextKind = { readonly encoding: Encoding } | { readonly binary: string };

/** Bytes that a kind is told from. */
export const headBytes = 8192;

/** What a file is, from its first bytes: text, unless they are known for something else or hold a NUL. */
export function textKind(head: Uint8Array): TextKind {
  if (head[0] === 0xff && head[1] === 0xfe) return { encoding: 'utf-16le' };
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: 'utf-16be' };
  const start = Buffer.from(head.subarray(0, 16)).toString('latin1');
  const known = signatures.find(([signature]) => start.startsWith(signature));
  if (known !== undefined) return { binary: known[1] };
  return head.subarray(0, headBytes).includes(0) ? { binary: 'binary file' } : { encoding: 'utf-8' };
}

const signatures: readonly (readonly [string, string])[] = [
  ['\x89PNG\r\n', 'PNG image'],
  ['\xff\xd8\xff', 'JPEG image'],
  ['GIF87a', 'GIF image'],
  ['GIF89a', 'GIF image'],
  ['RIFF', 'WebP image, sound or video'],
  ['%PDF-', 'PDF document'],
  ['PK\x03\x04', 'ZIP archive'],
  ['\x1f\x8b', 'gzip archive'],
  ['7z\xbc\xaf\x27\x1c', '7z archive'],
  ['\xfd7zXZ', 'xz archive'],
  ['\x28\xb5\x2f\xfd', 'zstd archive'],
  ['\x7fELF', 'ELF program'],
  ['SQLite format 3\0', 'SQLite database'],
];

/** What is said of a file that is no text. */
export function refuseBinary(shown: string, kind: string, bytes: number): AgentError {
  const message = `"${shown}" is no text: ${kind}, ${bytes.toLocaleString('en')} bytes.`;
  return new AgentError('usage.bad-input', message, {
    hint: 'Use bash with a program that knows this kind of file.',
    details: { path: shown, kind, bytes },
  });
}
