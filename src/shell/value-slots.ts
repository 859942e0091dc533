import type { Assignment, Command, ParsedScript, SyntaxNode, Word, WordPart } from 'unbash';
import { isAmpersand, unbash } from './parser.ts';
import { isPowerfulVariable } from './variables.ts';

/** A word of a script in which marks stand for values. */
export interface WordToFill extends Pick<WordPlaces, 'places' | 'leading'> {
  /** The program that gets it; undefined for what no program gets as a word, such as the name of a file to write. */
  readonly program?: string;
  /** An earlier word of the same command says that no options follow. */
  readonly followsDashes?: true;
}

/**
 * The words of a script that hold marks where a value is data and nothing else. A mark in any other place, such as a
 * here-document, a pattern, a calculation or a comment, is in none of them. Throws when the script cannot be read.
 */
export function wordsToFill(script: string, marks: Marks): readonly WordToFill[] {
  const found: WordToFill[] = [];
  visit(unbash().parse(script), { found, marks });
  return found;
}

interface Walk {
  readonly found: WordToFill[];
  readonly marks: Marks;
  /** It is part of a larger test, which other shells than bash read as several commands. */
  readonly inTest?: true;
}

function visit(node: SyntaxNode, walk: Walk): void {
  if (transparent.has(node.type)) {
    unbash().forEachChild(node, (child) => {
      visit(child, walk);
    });
    return;
  }
  switch (node.type) {
    case 'Script':
      if ((node.errors ?? []).length > 0) throw new SyntaxError('the script has faults');
      for (const statement of node.commands) visit(statement, walk);
      return;
    case 'Command':
      visitCommand(node, walk);
      return;
    case 'Assignment':
      visitAssignment(node, walk);
      return;
    case 'For':
    case 'Select':
      for (const word of node.wordlist ?? []) addWord(word, walk);
      visit(node.body, walk);
      return;
    case 'Case':
      addWord(node.word, walk);
      for (const { body } of node.items) visit(body, walk);
      return;
    case 'Function':
    case 'Coproc':
      visit(node.body, walk);
      return;
    case 'Redirect':
      if (node.target !== undefined && !node.operator.endsWith('&')) addWord(node.target, walk);
      return;
    case 'HereString':
      if (node.target !== undefined) addWord(node.target, walk);
      return;
    case 'TestLogical':
      for (const operand of node.operands) visit(operand, { ...walk, inTest: true });
      return;
    case 'TestGroup':
      visit(node.expression, { ...walk, inTest: true });
      return;
    case 'TestUnary':
      if (node.operator === '-v' || node.operator === '-R') return; // bash evaluates the name of a variable
      if (walk.inTest !== true || node.pos < node.operand.pos) addWord(node.operand, walk);
      return;
    case 'TestBinary':
      if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator)) return; // bash calculates with both
      if (walk.inTest !== true) addWord(node.left, walk);
      if (node.operator !== '=~') addWord(node.right, walk);
      return;
    default:
      return; // in whatever is not known to hold data, a mark is not found
  }
}

const transparent: ReadonlySet<string> = new Set<SyntaxNode['type']>([
  ...(['Statement', 'CompoundList', 'Pipeline', 'AndOr', 'Redirected', 'If', 'Elif', 'While'] as const),
  ...(['Subshell', 'BraceGroup', 'TestCommand', 'TestNot'] as const),
]);

function visitCommand({ name, prefix, suffix }: Command, walk: Walk): void {
  for (const node of prefix) visit(node, walk);
  if (name !== undefined) addWord(name, walk);
  let followsDashes = false;
  for (const node of suffix) {
    if (node.type !== 'Word') {
      visit(node, walk);
      if (isAmpersand(node)) return; // for other shells than bash, a new command begins behind it
      continue;
    }
    addWord(node, walk, { program: name?.value ?? '', ...(followsDashes ? { followsDashes } : {}) });
    followsDashes ||= node.value === '--';
  }
}

function visitAssignment({ name, value }: Assignment, walk: Walk): void {
  if (isPowerfulVariable(name)) return;
  if (value.type === 'Word') addWord(value, walk);
  // In front of an element may stand an index, which is calculated.
  else for (const element of value.elements) if (!element.text.startsWith('[')) addWord(element, walk);
}

function addWord(word: Word, walk: Walk, reader: Pick<WordToFill, 'program' | 'followsDashes'> = {}): void {
  const { found, marks } = walk;
  const { places, leading, scripts } = placesIn(word, marks);
  if (places.size > 0) found.push({ places, leading, ...reader });
  for (const script of scripts) visit(script, { found, marks });
}

/** What of a word is plain text, and so can take values. */
interface WordPlaces {
  /** By the number of the mark. */
  readonly places: ReadonlyMap<number, Quotes>;
  /** Its text up to the first thing that only the shell can know. */
  readonly leading: string;
  /** The scripts whose output is part of it. */
  readonly scripts: readonly ParsedScript[];
}

/** Finds the marks in a word that are nothing but text to the shell. Pure; throws when the word cannot be read. */
function placesIn(word: Word, marks: Marks): WordPlaces {
  const places = new Map<number, Quotes>();
  const scripts: ParsedScript[] = [];
  const place = (text: string, quotes: Quotes): void => {
    if (!hasSyntax(text, quotes)) for (const index of marks.in(text)) places.set(index, quotes);
  };
  if (word.parts === undefined) place(word.text, 'none');
  for (const part of word.parts ?? []) {
    if (part.type === 'Literal') place(part.text, 'none');
    if (part.type === 'SingleQuoted') place(part.text, 'single');
    if (part.type !== 'DoubleQuoted') scripts.push(...scriptIn(part));
    for (const inner of part.type === 'DoubleQuoted' ? part.parts : []) {
      if (inner.type === 'Literal') place(inner.text, 'double');
      scripts.push(...scriptIn(inner));
    }
  }
  return { places, leading: leadingText(word), scripts };
}

/** Whether a text that was read as plain holds more than that, as what touches the end of a list of values does. */
function hasSyntax(text: string, quotes: Quotes): boolean {
  if (quotes === 'single') return false;
  return (quotes === 'double' ? /["`]/ : /["'`$()<>|&;\s]/).test(text.replace(/\\[^]/g, ''));
}

/** Not between backticks: bash looks for lists in braces there as if quotes inside ended the quotes around them. */
function scriptIn(part: WordPart): readonly ParsedScript[] {
  if (part.type !== 'CommandExpansion' && part.type !== 'ProcessSubstitution') return [];
  if (part.script === undefined) throw new SyntaxError('a substitution cannot be read');
  return part.text.startsWith('`') ? [] : [part.script];
}

function leadingText({ value, parts }: Word): string {
  if (parts === undefined) return value;
  let text = '';
  const inner = parts.flatMap<WordPart>((part) => (part.type === 'DoubleQuoted' ? part.parts : [part]));
  for (const part of inner) {
    if (part.type !== 'Literal' && part.type !== 'SingleQuoted') return text;
    text += part.value;
  }
  return text;
}

/** Words that stand in a script for values that are still to come. */
export interface Marks {
  readonly at: (index: number) => string;
  /** The numbers of the marks in a piece of the script. */
  readonly in: (text: string) => readonly number[];
  /** With a text for each mark. */
  readonly replaced: (text: string, textFor: (index: number) => string) => string;
}

/**
 * Makes marks that occur nowhere in a script, and that a shell reads as part of a word and as nothing else: the full
 * stop keeps them from being names of variables. Pure.
 */
export function createMarks(script: string): Marks {
  const longest = (script.match(/vq+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 1);
  const base = `v${'q'.repeat(longest)}`;
  const pattern = new RegExp(`${base}(\\d+)\\.`, 'g');
  return {
    at: (index) => `${base}${index}.`,
    in: (text) => Array.from(text.matchAll(pattern), ([, number]) => Number(number)),
    replaced: (text, textFor) => text.replace(pattern, (_, number: string) => textFor(Number(number))),
  };
}

/** The quotes around a place in a script. */
export type Quotes = 'none' | 'single' | 'double';

/** Writes a value so that the shell reads exactly it between such quotes, as a part of one word. Pure. */
export function quoteFor(value: string, quotes: Quotes): string {
  if (quotes === 'double') return value.replace(/[\\"$`]/g, '\\$&');
  const inner = value.replaceAll("'", "'\\''");
  return quotes === 'single' ? inner : `'${inner}'`;
}
