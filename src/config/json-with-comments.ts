import { reasonOf } from '../core/error.ts';
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
    const reason = reasonOf(thrown);
    const line = /\(line (\d+) column \d+\)/.exec(reason)?.[1];
    const message = reason
      .replace(/(?: in JSON)? at position \d+.*$/s, '')
      .replace(/, (?:\.{3})?"[^]*"(?:\.{3})? is not valid JSON$/, '');
    return { message, line: line === undefined ? lineOfFault(text) : Number(line) };
  }
}

/** Where the parser names no place: the line of the first thing that is no value where one must stand. */
function lineOfFault(text: string): number {
  const token = /"(?:[^"\\]|\\.)*"|-?\d[\w.+-]*|true|false|null|[[\]{}:,]|\s+/gy;
  let before = ',';
  let end = 0;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [part] = match;
    const isEmptyList = before === '[' && part === ']';
    if (/^[[:,]$/.test(before) && /^[\]}:,]$/.test(part) && !isEmptyList) break;
    if (part.trim() !== '') before = part;
    end = token.lastIndex;
  }
  return text.slice(0, end).split('\n').length;
}

/** Comments and trailing commas become blanks, so that every line stays where it was. */
function toPlainJson(text: string): string {
  const parts: string[] = [];
  let last = -1; // the last part that is neither blank nor comment
  let beforeLast = '';
  for (const [part] of text.replace(/^\ufeff/, ' ').matchAll(tokens)) {
    const isComment = /^\/[/*]/.test(part);
    if (!isComment && part.trim() !== '') {
      const isTrailing = parts[last] === ',' && /^[}\]]$/.test(part) && !/^[[{,:]?$/.test(beforeLast);
      if (isTrailing) parts[last] = ' ';
      beforeLast = parts[last] ?? '';
      last = parts.length;
    }
    parts.push(isComment ? part.replace(/[^\n]/g, ' ') : part);
  }
  return parts.join('');
}

// A string, a comment (one that never ends runs to the end), a run of blanks, or any other character.
const tokens = /"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|\s+|[^]/g;
