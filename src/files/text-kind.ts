import { AgentError } from '../core/error.ts';

/** How the text of a file is written. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** What the beginning of a file says of it: a text in this encoding, or something else with a name for people. */
export type TextKind = { readonly encoding: Encoding } | { readonly binary: string };

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
