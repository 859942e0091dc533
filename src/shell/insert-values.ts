import type { SyntaxNode, Word } from 'unbash';
import type { RefusedValue, ValueCondition } from './check-arguments.ts';
import { checkCommands } from './command-values.ts';
import { isReadable, unbash } from './parser.ts';
import type { DataKind } from './syntax.ts';
import { followValues } from './value-flow.ts';
import { createMarks, findSlots, quoteFor, type Marks, type Quotes } from './value-slots.ts';
import { evaluatesVariables } from './variables.ts';
import { isKnownPart } from './word.ts';

/** A value to insert into a script. */
export interface ShellValue {
  readonly value: string;
  /**
   * Whether the value comes from a trusted source, such as the path of a skill's folder. Such a value can be
   * inserted anywhere, even in a program's name, unless it contains characters with a special meaning.
   */
  readonly mayName: boolean;
  /** Whether the value is the path of the skill's own folder, in which any file is a script of the skill. */
  readonly isSkillFolder?: boolean;
}

/** The reason why a value cannot be inserted at its position. */
export type Refusal =
  | ('position' | 'variables' | 'unlisted' | 'code' | 'program' | 'effects')
  | ('dash' | 'special' | 'unclear' | 'plain' | 'null' | 'size');

/** The script with its values inserted, or the first value that is refused. */
export type Insertion = { readonly script: string } | RefusedInsertion;

interface RefusedInsertion {
  readonly index: number;
  readonly refusal: Refusal;
}

const maxCharacters = 64 * 1024;

/**
 * Inserts values into a script as data. Each value becomes part of one word and is quoted for its position,
 * so that no value changes which commands run or how many words they receive. Only known data positions of
 * known programs accept values (see data-positions.ts). Refuses a value when in doubt. Pure; never throws.
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
  if (!isReadable(probe)) return { index: 0, refusal: 'position' };
  try {
    return insertAtMarks(pieces, values, { probe, marks, allowDash });
  } catch {
    // The positions of the values are unknown because of a syntax error or excessive nesting.
    return { index: 0, refusal: 'position' };
  }
}

function insertAtMarks(
  pieces: readonly (string | ShellValue)[],
  values: readonly ShellValue[],
  { probe, marks, allowDash }: { readonly probe: string; readonly marks: Marks; readonly allowDash: boolean },
): Insertion {
  const parsed = unbash().parse(probe);
  const slots = findSlots(parsed, marks);
  const isData = (index: number): boolean => !isTrusted(values[index]);
  const flow = followValues(parsed, marks, isData, (index) => {
    if (values[index]?.mayName !== true) return undefined;
    return values[index].isSkillFolder === true ? 'skill' : 'other';
  });
  const { refused, checks } = checkCommands(parsed, flow, marks);
  const first = Math.max(
    0,
    values.findIndex((_, index) => isData(index)),
  );
  const valueOf = (index: number): string => values[index]?.value ?? '';
  const refusal =
    (values.some((_, index) => isData(index)) ? findRefused(refused, first, marks) : undefined) ??
    findUnplaced(pieces, slots) ??
    (evaluatesVariables(probe) && !values.every(isTrusted)
      ? { index: first, refusal: 'variables' }
      : undefined) ??
    findUnfit(checks, { marks, valueOf, allowDash, first });
  if (refusal !== undefined) return refusal;
  const quoted = (index: number, value: string): string => {
    const quotes = slots.get(index);
    return quotes === undefined ? value : quoteFor(value, quotes);
  };
  const script = fill(pieces, (index) => quoted(index, valueOf(index)));
  if (script.length > maxCharacters) return { index: longest(values), refusal: 'size' };
  const harmless = fill(pieces, (index) => quoted(index, marks.at(index)));
  const expected = structureOf(harmless, (text) => marks.replaced(text, valueOf));
  return isSame(structureOf(script), expected) ? { script } : { index: 0, refusal: 'position' };
}

const trustedText = /^(?:\/[\p{L}\p{N}_./@+~:,() -]*|[\p{L}\p{N}_./@+~:-]*)$/u;

/** Returns whether a value comes from a trusted source and has no meaning in code. */
function isTrusted(value: ShellValue | undefined): boolean {
  return value?.mayName === true && trustedText.test(value.value);
}

function findRefused(
  refused: RefusedValue | undefined,
  first: number,
  marks: Marks,
): RefusedInsertion | undefined {
  if (refused === undefined) return undefined;
  return { index: marks.in(refused.text)[0] ?? first, refusal: refused.refusal };
}

// The patterns that a value must match at each kind of position, or that the whole word with the value must
// match.
const valuesOf: Partial<Record<DataKind, RegExp>> = {
  plain: /^(?:[\w./@+][\w./@+-]*)?$/,
  sed: /^\d{1,9}$/,
};
const textsOf: Partial<Record<DataKind, RegExp>> = {
  word: /^(?!.*(?:^|\/)\.\.)\w[\w./@+-]*$/,
  package: /^(?:@[\w.-]+\/)?\w[\w.-]*(?:@[\w.^~+-]+)?$/,
  ref: /^[^-+^:*?[\\\s][^:*?[\\\s]*$/,
};

/** Finds the first value that does not meet the condition of its position. */
function findUnfit(
  checks: readonly ValueCondition[],
  given: {
    readonly marks: Marks;
    readonly valueOf: (index: number) => string;
    readonly allowDash: boolean;
    readonly first: number;
  },
): RefusedInsertion | undefined {
  const { marks, valueOf, allowDash, first } = given;
  for (const { kind, reading, special, mayBeOption } of checks) {
    const indexes = marks.in(reading.text);
    const index = indexes[0] ?? first;
    const text = marks.replaced(reading.text, valueOf);
    const [eachFits, fits] = [valuesOf[kind], textsOf[kind]];
    const needsAll = eachFits !== undefined || fits !== undefined;
    const isUnclear = needsAll ? reading.rest !== 'nothing' : reading.rest === 'value' && text === '';
    if (isUnclear) return { index, refusal: 'unclear' };
    const isOfScript = reading.text.startsWith('-');
    if (!isOfScript && text.startsWith('-') && special.test(text) && !(mayBeOption && allowDash))
      return { index, refusal: 'dash' };
    const unfit = eachFits === undefined ? undefined : indexes.find((each) => !eachFits.test(valueOf(each)));
    if (unfit !== undefined || fits?.test(text) === false) return { index: unfit ?? index, refusal: 'plain' };
    if (special.test(text) && !(mayBeOption && allowDash)) return { index, refusal: 'special' };
  }
  return undefined;
}

/**
 * Finds the first value that cannot be inserted or that follows a backslash, which would escape its quotes.
 */
function findUnplaced(
  pieces: readonly (string | ShellValue)[],
  slots: ReadonlyMap<number, Quotes>,
): Insertion | undefined {
  let index = 0;
  let before = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      before += piece;
      continue;
    }
    const quotes = slots.get(index);
    if (quotes === undefined || (quotes !== 'single' && endsInBackslash(before)))
      return { index, refusal: 'position' };
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
 * Returns a script's structure as lines. Two scripts have equal lines only if they have the same commands,
 * operators and words, regardless of quoting. `valueOf` can replace the value of each word with a known
 * value. Throws if the script has syntax errors.
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
      if ((node.errors ?? []).length > 0) throw new SyntaxError('the script has syntax errors');
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

/** Drops literal text, and replaces a double-quoted string with the expansions inside it. */
function unquoted(node: SyntaxNode): readonly SyntaxNode[] {
  if (node.type === 'Literal' || node.type === 'SingleQuoted') return [];
  return node.type === 'DoubleQuoted' ? node.parts.filter(({ type }) => type !== 'Literal') : [node];
}

function isKnown({ parts = [] }: Word): boolean {
  return parts.every(isKnownPart);
}
