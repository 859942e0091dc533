import { evaluatedIn, type Evaluated } from './evaluated-in.ts';
import { isReadable } from './is-readable.ts';
import { createMarks, type Marks } from './marks.ts';
import { quoteFor, type Quotes } from './quote-for.ts';
import { structureOf } from './structure-of.ts';
import { wordsToFill, type WordToFill } from './words-to-fill.ts';

/** A value to be put into a script. */
export interface ShellValue {
  readonly value: string;
  /** It may say which program runs, as the folder of a program does. */
  readonly mayName: boolean;
}

/** Why a value cannot be put where it stands. */
export type Refusal = 'place' | 'code' | 'variables' | 'program' | 'dash' | 'null' | 'size';

/** A script with values, or the first value that cannot be in it, by its number. */
export type Insertion = { readonly script: string } | { readonly index: number; readonly refusal: Refusal };

const mostCharacters = 64 * 1024;

/**
 * Puts values into a script as data: each becomes part of one word, quoted for the place where it stands, so that no
 * value changes which commands run or how many words they get. Pure; never throws. What cannot be told is refused.
 */
export function insertValues(
  pieces: readonly (string | ShellValue)[],
  { allowDash }: { readonly allowDash: boolean },
): Insertion {
  const values = pieces.filter((piece) => typeof piece !== 'string');
  const texts = pieces.filter((piece) => typeof piece === 'string');
  if (values.length === 0) return { script: texts.join('') };
  const unusable = values.findIndex(({ value }) => value.includes('\0'));
  if (unusable >= 0) return { index: unusable, refusal: 'null' };
  const marks = createMarks(texts.join('\n'));
  const probe = fill(pieces, (index) => marks.at(index));
  if (!isReadable(probe)) return { index: 0, refusal: 'place' };
  try {
    return insertAtMarks(pieces, values, { probe, marks, allowDash });
  } catch {
    // The parser met a fault, or a depth, that leaves open where the values stand.
    return { index: 0, refusal: 'place' };
  }
}

function insertAtMarks(
  pieces: readonly (string | ShellValue)[],
  values: readonly ShellValue[],
  { probe, marks, allowDash }: { readonly probe: string; readonly marks: Marks; readonly allowDash: boolean },
): Insertion {
  const words = wordsToFill(probe, marks);
  const places = new Map(words.flatMap(({ places: own }) => [...own]));
  const evaluated = evaluatedIn(probe);
  const refused =
    findRefused(values, evaluated, marks) ??
    findUnplaced(pieces, places) ??
    (evaluated.readsVariables ? firstData(values) : undefined);
  if (refused !== undefined) return refused;
  const valueOf = (index: number): string => values[index]?.value ?? '';
  const dashed = allowDash ? words.filter(({ program = '' }) => strict.test(program)) : words;
  for (const word of dashed) {
    const index = dashIn(word, marks, valueOf);
    if (index !== undefined) return { index, refusal: 'dash' };
  }
  const quoted = (index: number, value: string): string => {
    const place = places.get(index);
    return place === undefined ? value : quoteFor(value, place);
  };
  const script = fill(pieces, (index) => quoted(index, valueOf(index)));
  if (script.length > mostCharacters) return { index: longest(values), refusal: 'size' };
  const harmless = fill(pieces, (index) => quoted(index, marks.at(index)));
  const expected = structureOf(harmless, (text) => marks.replaced(text, valueOf));
  return isSame(structureOf(script), expected) ? { script } : { index: 0, refusal: 'place' };
}

/** The first value that would be run as code, or that says which program runs and may not. */
function findRefused(
  values: readonly ShellValue[],
  { programs, code, isOpen }: Evaluated,
  marks: Marks,
): Insertion | undefined {
  const evaluated = new Set(code.flatMap(marks.in));
  const named = new Set(programs.flatMap(marks.in));
  for (const [index, { mayName }] of values.entries()) {
    if (evaluated.has(index) || (isOpen && !mayName)) return { index, refusal: 'code' };
    if (named.has(index) && !mayName) return { index, refusal: 'program' };
  }
  return undefined;
}

/** The first value that may not say which program runs. */
function firstData(values: readonly ShellValue[]): Insertion | undefined {
  const index = values.findIndex(({ mayName }) => !mayName);
  return index < 0 ? undefined : { index, refusal: 'variables' };
}

/** The first value that has no place, or that stands behind a backslash, which would take its quotes away. */
function findUnplaced(
  pieces: readonly (string | ShellValue)[],
  places: ReadonlyMap<number, Quotes>,
): Insertion | undefined {
  let index = 0;
  let before = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      before += piece;
      continue;
    }
    const place = places.get(index);
    if (place === undefined || (place !== 'single' && endsInBackslash(before)))
      return { index, refusal: 'place' };
    before = '';
    index++;
  }
  return undefined;
}

function endsInBackslash(text: string): boolean {
  let start = text.length;
  while (start > 0 && text.charAt(start - 1) === '\\') start--;
  return (text.length - start) % 2 === 1;
}

// Their words are an expression in which even `--` ends nothing.
const strict = /(?:^|\/)(?:test|\[|find)$/;

/** The value that makes a word begin with a dash, in a command that could take it for an option. */
function dashIn(word: WordToFill, marks: Marks, valueOf: (index: number) => string): number | undefined {
  const { leading, program, followsDashes } = word;
  if (program === undefined || (followsDashes === true && !strict.test(program))) return undefined;
  const [index] = marks.in(leading);
  if (index === undefined || !leading.startsWith(marks.at(index))) return undefined;
  return marks.replaced(leading, valueOf).startsWith('-') ? index : undefined;
}

function fill(pieces: readonly (string | ShellValue)[], textFor: (index: number) => string): string {
  let index = 0;
  return pieces.map((piece) => (typeof piece === 'string' ? piece : textFor(index++))).join('');
}

function longest(values: readonly ShellValue[]): number {
  return values.reduce(
    (most, { value }, index) => (value.length > (values[most]?.value.length ?? 0) ? index : most),
    0,
  );
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index]);
}
