import { AgentError } from '../core/error.ts';

/**
 * Decodes a file to characters that can be searched and encoded again without changing any other byte. Each
 * character represents one byte for UTF-8, even if the text is not valid, or one pair of bytes for UTF-16.
 */
export function decodeChars(bytes: Buffer, encoding: Encoding): string {
  if (encoding === 'utf-8') return bytes.toString('latin1');
  return (encoding === 'utf-16be' ? Buffer.from(bytes).swap16() : bytes).toString('utf16le');
}

/** Converts characters from `decodeChars` back to bytes. */
export function bytesOf(chars: string, encoding: Encoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(chars, 'latin1');
  const bytes = Buffer.from(chars, 'utf16le');
  return encoding === 'utf-16be' ? bytes.swap16() : bytes;
}

/** Converts text to the characters that `decodeChars` would return for it. */
export function toChars(text: string, encoding: Encoding): string {
  return encoding === 'utf-8' ? Buffer.from(text, 'utf8').toString('latin1') : text;
}

/** Converts characters from `toChars` back to text. */
export function toText(chars: string, encoding: Encoding): string {
  return encoding === 'utf-8' ? Buffer.from(chars, 'latin1').toString('utf8') : chars;
}

/** A text file's encoding. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** A file's kind: text with its encoding, or a binary file with a display name for its format. */
type TextKind = { readonly encoding: Encoding } | { readonly binary: string };

/** The number of bytes at the start of a file that determine its kind. */
export const headBytes = 8192;

/** Detects a file's kind from its first bytes. It is text unless they match a signature or contain a NUL. */
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

/** Returns the error for a file that is not text. */
export function refuseBinary(shown: string, kind: string, bytes: number): AgentError {
  const message = `"${shown}" is not a text file: ${kind}, ${bytes.toLocaleString('en')} bytes.`;
  return new AgentError('usage.bad-input', message, {
    hint: 'In bash, use a program that supports this file type.',
    details: { path: shown, kind, bytes },
  });
}
