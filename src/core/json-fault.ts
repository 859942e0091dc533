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
