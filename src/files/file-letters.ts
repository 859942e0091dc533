import type { Encoding } from './text-kind.ts';

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
