import { hash } from 'node:crypto';

const longestAddress = 256; // two of them fit into one row of a PostgreSQL index

/** Any string as text that every database keeps as it is: controls, halves of pairs and the backslash become `\uXXXX`. */
export function encodeText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\\]/gu, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** The string that `encodeText` was given. */
export function decodeText(text: string): string {
  return text.replace(/\\u([0-9a-f]{4})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)));
}

/** What stands for a string in a key: itself while it is short, else its hash; no two strings share one. */
export function addressOf(text: string): string {
  const encoded = encodeText(text);
  return encoded.length <= longestAddress ? encoded : `\\#${hash('sha256', encoded)}`;
}

/** The string itself where its address does not tell it. */
export function longTextOf(text: string): string | null {
  const encoded = encodeText(text);
  return encoded.length <= longestAddress ? null : encoded;
}
