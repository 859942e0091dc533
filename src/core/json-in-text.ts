import { fencesIn } from './fences.ts';
import { parseJson, type Json } from './json.ts';

/**
 * The JSON values that an answer may mean, likeliest first: the whole text, what stands in fences, then the objects
 * and arrays between the words. Linear in the length of the text.
 */
export function* jsonInText(text: string): Generator<Json> {
  const whole = parseJson(text);
  if (whole !== undefined) {
    yield whole;
    return; // nothing inside of it is meant
  }
  for (const { content } of fencesIn(text)) {
    const value = parseJson(content);
    if (value !== undefined) yield value;
  }
  yield* collectionsIn(text);
}

const effort = 8; // how often a character may be looked at on the average
const wrongGuess = 200; // characters that could be looked at in the time that a failed parse takes

/** The outermost objects and arrays; what only looks like one is passed over, until that was too much effort. */
function* collectionsIn(text: string): Generator<Json> {
  const next = /[[{]/g;
  let left = effort * text.length + wrongGuess;
  for (let found = next.exec(text); found !== null && left > 0; found = next.exec(text)) {
    const { end, isClosed } = scanCollection(text, found.index);
    const value = isClosed ? parseJson(text.slice(found.index, end)) : undefined;
    left -= end - found.index + (isClosed ? wrongGuess : 0);
    if (value === undefined) continue;
    left += wrongGuess;
    next.lastIndex = end;
    yield value;
  }
}

const token = /"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"|[[\]{}]|[\s:,\d+.\-truefalsnE]+/y;
const deepest = 64;

/** Where the brackets that open at a place are closed, or something stands that JSON does not have. */
function scanCollection(text: string, start: number): { readonly end: number; readonly isClosed: boolean } {
  const next = new RegExp(token);
  next.lastIndex = start;
  let end = start;
  let depth = 0;
  for (let found = next.exec(text); found !== null && depth <= deepest; found = next.exec(text)) {
    end = next.lastIndex;
    if (found[0] === '{' || found[0] === '[') depth++;
    else if (found[0] === '}' || found[0] === ']') depth--;
    if (depth === 0) return { end, isClosed: true };
  }
  return { end, isClosed: false };
}
