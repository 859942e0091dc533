import { isUtf8 } from 'node:buffer';
import type { Issue } from './issue.ts';

/** Text from bytes as people save them: UTF-8 with or without BOM, UTF-16 with BOM; bad bytes become U+FFFD. */
export function decodeText(bytes: Uint8Array, issues: Issue[]): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeUtf16('utf-16le', bytes, issues);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeUtf16('utf-16be', bytes, issues);
  if (!isUtf8(bytes)) issues.push(badBytes('UTF-8'));
  return withoutByteOrderMark(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), issues);
}

/** The text without the byte order marks it starts with. */
export function withoutByteOrderMark(text: string, issues: Issue[]): string {
  if (!text.startsWith('\ufeff')) return text;
  issues.push({
    level: 'info',
    code: 'text.bom',
    message: 'The file starts with a byte order mark.',
    standard: true,
  });
  return text.replace(/^\ufeff+/, '');
}

/** The text with LF as its only line end. */
export function toLf(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** The finding for bytes that are no valid UTF-8. */
export function notUtf8(): Issue {
  return badBytes('UTF-8');
}

function badBytes(encoding: string): Issue {
  return {
    level: 'warning',
    code: 'text.encoding',
    message: `The file is not valid ${encoding}; the bytes that are wrong were replaced.`,
    hint: 'Save the file as UTF-8.',
  };
}

function decodeUtf16(encoding: 'utf-16le' | 'utf-16be', bytes: Uint8Array, issues: Issue[]): string {
  issues.push({
    level: 'info',
    code: 'text.encoding',
    message: `The file is ${encoding.toUpperCase()}, read by its byte order mark.`,
    hint: 'Save the file as UTF-8 for other tools.',
    standard: true,
  });
  const text = new TextDecoder(encoding).decode(bytes);
  if (text.includes('\ufffd')) issues.push(badBytes(encoding.toUpperCase()));
  return text;
}
