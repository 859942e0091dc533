import type { Assignment, Command, SyntaxNode, Word } from 'unbash';
import { isAmpersand } from './is-ampersand.ts';
import { isPowerfulVariable } from './is-powerful-variable.ts';
import { unbash } from './load-unbash.ts';
import type { Marks } from './marks.ts';
import { placesIn, type WordPlaces } from './places-in.ts';

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
