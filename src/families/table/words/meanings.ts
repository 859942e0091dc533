import type { Table, TableClock } from '../table.ts';
import { understand } from './understand.ts';
import type { Understood } from './verdict.ts';

/** A question whose answer replaces the words from `at` to `end`. Without options, any text is an answer. */
export interface Meaning {
  readonly text: string;
  readonly options: readonly string[];
  readonly at: number;
  readonly end: number;
  /** The word before an answer in the user's own words. */
  readonly lead?: string;
}

const maxTried = 60; // The maximum number of candidates. Each is parsed.
const maxOptions = 9;

/**
 * Returns a question about words that no form explains, for use without a model. Its options are the values
 * and fields that the words could refer to, and each of them makes the text a request. Returns undefined if
 * there is nothing to ask.
 */
export function meaningOf(
  table: Table,
  words: string,
  { span, missing }: Extract<Understood, { kind: 'unknown' }>,
  clock: TableClock,
): Meaning | undefined {
  const length = words.replace(/[\s.!?]+$/, '').length;
  if (missing !== undefined) return { ...missing, options: [], at: length, end: words.length };
  if (span === undefined) return undefined;
  const [before, after] = [words.slice(0, span.at), words.slice(span.end)];
  const said = words.slice(span.at, span.end).replace(/^["']|["']$/g, '');
  const isRequest = (option: string): boolean =>
    understand(table, `${before}${option}${after}`, clock).kind === 'request';
  // After "is", or before a noun, words describe records. Otherwise, they are more likely to be in a text.
  const isAdjective = /\b(?:is|are|was|were|as|not)\s+$/i.test(before) || /\w/.test(after);
  const options = candidates(table, said, isAdjective)
    .slice(0, maxTried)
    .flatMap((spellings) => spellings.find(isRequest) ?? [])
    .slice(0, maxOptions);
  return options.length === 0 ? undefined : { text: `What do you mean by "${said}"?`, options, ...span };
}

/** Returns what words could stand for, in several spellings each: a listed value, or text in a field. */
function candidates({ fields }: Table, said: string, isAdjective: boolean): readonly (readonly string[])[] {
  const text = JSON.stringify(said);
  const listed = fields.flatMap(({ name, values = [] }) =>
    values.map((value) => [`${name} is ${JSON.stringify(value)}`, `${name} ${JSON.stringify(value)}`]),
  );
  const free = fields
    .filter(({ type, values }) => (type === 'string' || type === 'text') && values === undefined)
    .toSorted((one, other) => Number(one.key !== undefined) - Number(other.key !== undefined))
    .map(({ name }) => [`${name} contains ${text}`, `${name} ${text}`]);
  return isAdjective ? [...listed, ...free] : [...free, ...listed];
}
