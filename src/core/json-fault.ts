import { reasonOf } from './error.ts';

/** What the parser says about broken JSON, and on which line of it. */
export function jsonFault(text: string): { readonly message: string; readonly line: number } {
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

/**
 * Where the parser names no place: the line of the first thing that is no value where one must stand.
 * No part of the pattern matches without a limit: V8 stops optimising patterns in a process that has compiled many,
 * and each repetition then takes room on a stack that holds a few million.
 */
function lineOfFault(text: string): number {
  const token = /"|-?\d[\w.+-]{0,100}|true|false|null|[[\]{}:,]|\s{1,100}/gy;
  let before = ',';
  let end = 0;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [part] = match;
    const isEmptyList = before === '[' && part === ']';
    if (/^[[:,]$/.test(before) && /^[\]}:,]$/.test(part) && !isEmptyList) break;
    if (part.trim() !== '') before = part;
    if (part === '"') token.lastIndex = endOfString(text, match.index);
    if (token.lastIndex === 0) break; // the string does not end
    end = token.lastIndex;
  }
  return text.slice(0, end).split('\n').length;
}

/** The position after the closing quote of a string, or 0. */
function endOfString(text: string, start: number): number {
  const special = /["\\]/g;
  special.lastIndex = start + 1;
  for (let match = special.exec(text); match !== null; match = special.exec(text)) {
    if (match[0] === '"') return special.lastIndex;
    special.lastIndex += 1; // what a backslash escapes
  }
  return 0;
}
