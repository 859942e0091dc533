import { jsonFault } from '../core/json/validate.ts';
import { parseJson, type Json } from '../core/json.ts';

/** What JSON text came to: a value, or what is wrong and on which line. */
export type ReadJson =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly message: string; readonly line: number };

/** JSON in which comments and trailing commas are allowed; keys that would reach a prototype are dropped. */
export function parseJsonWithComments(text: string): ReadJson {
  const plain = toPlainJson(text);
  const value = parseJson(plain);
  return value === undefined ? { ok: false, ...jsonFault(plain) } : { ok: true, value };
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
