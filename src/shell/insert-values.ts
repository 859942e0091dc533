import type { SyntaxNode, Word } from 'unbash';
import { evaluatedIn, type Evaluated } from './evaluated-code.ts';
import { isReadable, unbash } from './parser.ts';
import {
  createMarks,
  quoteFor,
  wordsToFill,
  type Marks,
  type Quotes,
  type WordToFill,
} from './value-slots.ts';
import { isKnownPart } from './word.ts';

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

/**
 * What a script is made of, as lines that are equal for two scripts only when they have the same commands, operators
 * and words; how a word is quoted makes no difference. `valueOf` may change the value of each word that is known.
 * Throws when the script has faults.
 */
export function structureOf(
  script: string,
  valueOf: (value: string) => string = (value) => value,
): readonly string[] {
  const lines: string[] = [];
  const waiting: { readonly node: SyntaxNode; readonly depth: number }[] = [
    { node: unbash().parse(script), depth: 0 },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, depth } = next;
    lines.push(`${depth} ${describe(node, valueOf)}`);
    const children: SyntaxNode[] = [];
    unbash().forEachChild(node, (child) => children.push(...unquoted(child)));
    for (const child of children.reverse()) waiting.push({ node: child, depth: depth + 1 });
  }
  return lines;
}

function describe(node: SyntaxNode, valueOf: (value: string) => string): string {
  switch (node.type) {
    case 'Script':
      if ((node.errors ?? []).length > 0) throw new SyntaxError('the script has faults');
      return node.type;
    case 'Word':
      return isKnown(node) ? `Word ${JSON.stringify(valueOf(node.value))}` : 'Word';
    case 'Statement':
      return node.background === true ? 'Statement &' : 'Statement';
    case 'Pipeline':
    case 'AndOr':
    case 'TestLogical':
      return `${node.type} ${String('operators' in node ? node.operators : node.operator)}`;
    case 'Redirect':
    case 'TestUnary':
    case 'TestBinary':
      return `${node.type} ${node.operator}`;
    case 'Assignment':
      return `Assignment ${node.name}`;
    default:
      return node.type;
  }
}

/** Quotes are left out of the tree: what stands in them takes their place. */
function unquoted(node: SyntaxNode): readonly SyntaxNode[] {
  if (node.type === 'Literal' || node.type === 'SingleQuoted') return [];
  return node.type === 'DoubleQuoted' ? node.parts.filter(({ type }) => type !== 'Literal') : [node];
}

function isKnown({ parts = [] }: Word): boolean {
  return parts.every(isKnownPart);
}
