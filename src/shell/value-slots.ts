import type { Assignment, Command, ParsedScript, SyntaxNode, Word, WordPart } from 'unbash';
import { isAmpersand, unbash } from './parser.ts';
import { isPowerfulVariable } from './variables.ts';

/**
 * Finds the placeholder marks that the shell reads as plain text, and returns the quotes around each mark,
 * keyed by the mark's number. Omits all other marks, such as those in here-documents, patterns, arithmetic
 * and comments. Throws if the script has errors.
 */
export function findSlots(script: ParsedScript, marks: Marks): ReadonlyMap<number, Quotes> {
  const found = new Map<number, Quotes>();
  visit(script, { found, marks });
  return found;
}

interface Walk {
  readonly found: Map<number, Quotes>;
  readonly marks: Marks;
  /**
   * Whether the current node is in a compound test, which shells other than bash parse as several commands.
   */
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
      if ((node.errors ?? []).length > 0) throw new SyntaxError('the script has syntax errors');
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
      // With -v and -R, bash evaluates the variable's name.
      if (node.operator === '-v' || node.operator === '-R') return;
      if (walk.inTest !== true || node.pos < node.operand.pos) addWord(node.operand, walk);
      return;
    case 'TestBinary':
      // Bash evaluates both operands of this comparison as arithmetic.
      if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator)) return;
      if (walk.inTest !== true) addWord(node.left, walk);
      if (node.operator !== '=~') addWord(node.right, walk);
      return;
    default:
      return; // Ignore marks in any other node, because the shell may not read them as data.
  }
}

const transparent: ReadonlySet<string> = new Set<SyntaxNode['type']>([
  ...(['Statement', 'CompoundList', 'Pipeline', 'AndOr', 'Redirected', 'If', 'Elif', 'While'] as const),
  ...(['Subshell', 'BraceGroup', 'TestCommand', 'TestNot'] as const),
]);

function visitCommand({ name, prefix, suffix }: Command, walk: Walk): void {
  for (const node of prefix) visit(node, walk);
  if (name !== undefined) addWord(name, walk);
  for (const node of suffix) {
    if (node.type === 'Word') addWord(node, walk);
    else visit(node, walk);
    if (isAmpersand(node)) return; // Other shells begin a new command after `&>`.
  }
}

function visitAssignment({ name, value }: Assignment, walk: Walk): void {
  if (isPowerfulVariable(name)) return;
  if (value.type === 'Word') addWord(value, walk);
  // An element may begin with an index, which the shell evaluates.
  else for (const element of value.elements) if (!element.text.startsWith('[')) addWord(element, walk);
}

function addWord(word: Word, walk: Walk): void {
  const { found, marks } = walk;
  const addSlots = (text: string, quotes: Quotes): void => {
    if (!hasSyntax(text, quotes)) for (const index of marks.in(text)) found.set(index, quotes);
  };
  const visitScript = (part: WordPart): void => {
    for (const script of scriptIn(part)) visit(script, { found, marks });
  };
  if (word.parts === undefined) addSlots(word.text, 'none');
  for (const part of word.parts ?? []) {
    if (part.type === 'Literal') addSlots(part.text, 'none');
    if (part.type === 'SingleQuoted') addSlots(part.text, 'single');
    if (part.type !== 'DoubleQuoted') visitScript(part);
    for (const inner of part.type === 'DoubleQuoted' ? part.parts : []) {
      if (inner.type === 'Literal') addSlots(inner.text, 'double');
      visitScript(inner);
    }
  }
}

/**
 * Returns whether text that was parsed as plain contains shell syntax, which can happen right after a list
 * of values.
 */
function hasSyntax(text: string, quotes: Quotes): boolean {
  if (quotes === 'single') return false;
  return (quotes === 'double' ? /["`]/ : /["'`$()<>|&;\s]/).test(text.replace(/\\[^]/g, ''));
}

/**
 * Returns the script in a substitution. Skips backticks, because bash expands braces inside them as if inner
 * quotes ended the outer quotes.
 */
function scriptIn(part: WordPart): readonly ParsedScript[] {
  if (part.type !== 'CommandExpansion' && part.type !== 'ProcessSubstitution') return [];
  if (part.script === undefined) throw new SyntaxError('a substitution cannot be read');
  return part.text.startsWith('`') ? [] : [part.script];
}

/** Placeholder words in a script for values that are inserted later. */
export interface Marks {
  readonly at: (index: number) => string;
  /** Matches the first mark in a string. */
  readonly pattern: RegExp;
  /** Returns the numbers of the marks in a string. */
  readonly in: (text: string) => readonly number[];
  /** Replaces each mark with the string for its value. */
  readonly replaced: (text: string, textFor: (index: number) => string) => string;
}

/**
 * Creates marks that do not occur in a script and that a shell reads only as part of a word. The full stop in
 * each mark prevents it from being a variable name. Pure.
 */
export function createMarks(script: string): Marks {
  const longest = (script.match(/vq+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 1);
  const base = `v${'q'.repeat(longest)}`;
  const pattern = new RegExp(`${base}(\\d+)\\.`, 'g');
  return {
    at: (index) => `${base}${index}.`,
    pattern: new RegExp(pattern.source),
    in: (text) => Array.from(text.matchAll(pattern), ([, number]) => Number(number)),
    replaced: (text, textFor) => text.replace(pattern, (_, number: string) => textFor(Number(number))),
  };
}

/** The kind of quotes around a position in a script. */
export type Quotes = 'none' | 'single' | 'double';

/**
 * Escapes a value so that the shell reads exactly this value between these quotes, as part of one word. Pure.
 */
export function quoteFor(value: string, quotes: Quotes): string {
  if (quotes === 'double') return value.replace(/[\\"$`]/g, '\\$&');
  const inner = value.replaceAll("'", "'\\''");
  return quotes === 'single' ? inner : `'${inner}'`;
}
