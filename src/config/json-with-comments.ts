import { parseJson, type Json } from '../core/json.ts';

/** What JSON text came to: a value, or what is wrong and on which line. */
export type ReadJson =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly message: string; readonly line: number };

/** JSON in which comments and trailing commas are allowed; keys that would reach a prototype are dropped. */
export function parseJsonWithComments(text: string): ReadJson {
  const plain = toPlainJson(text);
  const value = parseJson(plain);
  return value === undefined ? { ok: false, ...faultIn(plain) } : { ok: true, value };
}

/** What the parser says about broken JSON. */
function faultIn(text: string): { readonly message: string; readonly line: number } {
  try {
    JSON.parse(text);
    return { message: 'it nests too deep, or a number in it is out of range', line: 1 };
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    const line = /\(line (\d+) column \d+\)/.exec(reason)?.[1];
    const message = reason
      .replace(/(?: in JSON)? at position \d+.*$/s, '')
      .replace(/, "[^]*" is not valid JSON$/, '');
    return { message, line: line === undefined ? lineOfFault(text) : Number(line) };
  }
}

/** Where the parser names no place: the line of the first character that no JSON text could have there. */
function lineOfFault(text: string): number {
  const tokens = /"(?:[^"\\]|\\.)*"|-?\d[\w.+-]*|true|false|null|[[\]{}:,]|\s+/gy;
  let end = 0;
  while (end < text.length && tokens.test(text)) end = tokens.lastIndex;
  return text.slice(0, end).split('\n').length;
}

/** Comments and trailing commas become blanks, so that every line stays where it was. */
function toPlainJson(text: string): string {
  const parts: string[] = [];
  let comma = -1; // the part that is a comma, when nothing but blanks and comments came after it
  for (const [part] of text.replace(/^\ufeff/, ' ').matchAll(tokens)) {
    if (/^\/[/*]/.test(part)) parts.push(part.replace(/[^\n]/g, ' '));
    else {
      if (comma >= 0 && (part === '}' || part === ']')) parts[comma] = ' ';
      if (part.trim() !== '') comma = part === ',' ? parts.length : -1;
      parts.push(part);
    }
  }
  return parts.join('');
}

// A string, a comment (one that never ends runs to the end), a run of blanks, or any other character.
const tokens = /"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|\s+|[^]/g;
