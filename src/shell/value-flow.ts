import type { ParsedScript, SyntaxNode, Word, WordPart } from 'unbash';
import { unbash } from './parser.ts';
import type { Marks } from './value-slots.ts';
import { readWord, type ShellWord } from './word.ts';

/** A word of a command, and the inserted values that it can contain when the command runs. */
export interface FlowWord extends ShellWord {
  /** Whether the word contains a value or a string derived from one. */
  readonly holdsValue: boolean;
  /** Whether an unquoted expansion can split a value into several words. */
  readonly splits: boolean;
  /**
   * The trusted folder if the word is a path in that folder and contains no other values. Undefined for any
   * other word.
   */
  readonly folder: 'skill' | 'other' | undefined;
  /** The possible beginnings of the word. */
  readonly readings: readonly Reading[];
}

/** The beginning of a word, up to the first part that is known only at run time. */
export interface Reading {
  readonly text: string;
  /**
   * The kind of the word's remainder: empty, text that does not begin with a value, or text that may begin
   * with one.
   */
  readonly rest: 'nothing' | 'text' | 'value';
}

/** The flow of inserted values through a script. */
export interface ValueFlow {
  /** The names of the functions that the script defines. */
  readonly functions: ReadonlySet<string>;
  /**
   * Returns whether a part of the script contains a value or a string derived from one. If values are in
   * files (`areInFiles`), every expansion is treated as derived from a value.
   */
  readonly holds: (node: SyntaxNode, areInFiles: boolean) => boolean;
  readonly read: (word: Word, areInFiles: boolean) => FlowWord;
}

/**
 * Tracks inserted values through a script's variables. Only marks that `isValue` accepts are treated as
 * values. Ignores the order of commands: a variable may hold anything assigned to it anywhere in the
 * script. Pure.
 */
export function followValues(
  script: ParsedScript,
  marks: Marks,
  isValue: (index: number) => boolean,
  folderAt: (index: number) => FlowWord['folder'],
): ValueFlow {
  const assigned = new Map<string, Source[]>();
  const functions = new Set<string>();
  collect(script, assigned, functions);
  const holding = new Set<string>(assigned.size > maxVariables ? assigned.keys() : []);
  const holds = (node: SyntaxNode): boolean => {
    if ('text' in node && typeof node.text === 'string' && marks.in(node.text).some(isValue)) return true;
    if (isHoldingName(variableIn(node), holding)) return true;
    return childrenOf(node).some(holds);
  };
  for (let size = -1; size < holding.size;) {
    size = holding.size;
    for (const [name, sources] of assigned)
      if (sources.some((source) => source === 'unknown' || holds(source))) holding.add(name);
  }
  const holdsNow = (node: SyntaxNode, areInFiles: boolean): boolean =>
    holds(node) || (areInFiles && expands(node));
  const readings = (word: Word, areInFiles: boolean, depth: number): readonly Reading[] => {
    let found: readonly Reading[] = [{ text: '', rest: 'nothing' }];
    const add = (next: readonly Reading[]): void => {
      found = found.flatMap((one) =>
        one.rest === 'nothing' ? next.map(({ text, rest }) => ({ text: one.text + text, rest })) : [one],
      );
    };
    const parts = partsOf(word);
    for (const [index, { part, isQuoted }] of parts.entries()) {
      const sources = assigned.get(plainVariable(part) ?? '');
      const isKnown = sources?.every(isWord) === true && depth < maxDepth && !areInFiles;
      if (part.type === 'ProcessSubstitution') add([{ text: '/dev/fd/', rest: 'text' }]);
      else if (isText(part)) add([{ text: part.value, rest: 'nothing' }]);
      else if (isKnown && (isQuoted || !holds(part)))
        add(sources.flatMap((source) => readings(source, false, depth + 1)));
      else add([{ text: '', rest: restFrom(parts.slice(index), areInFiles) }]);
      if (found.length > maxReadings) found = [{ text: '', rest: 'value' }];
    }
    return found;
  };
  // Parts without values may be empty, so a value after them may begin the remainder.
  const restFrom = (parts: ReturnType<typeof partsOf>, areInFiles: boolean): Reading['rest'] => {
    for (const { part } of parts) {
      if (!isText(part)) {
        if (holdsNow(part, areInFiles) || (areInFiles && isPattern(part))) return 'value';
        if (isPattern(part)) return 'text';
      } else if (part.value !== '') {
        return part.value.search(marks.pattern) === 0 ? 'value' : 'text';
      }
    }
    return 'text';
  };
  const read = (word: Word, areInFiles: boolean): FlowWord => {
    const indexes = marks.in(word.text);
    const found = readings(word, areInFiles, 0);
    const isWhole = found.every(({ rest }) => rest === 'nothing');
    const [folder, ...others] = new Set(indexes.map(folderAt));
    return {
      ...readWord(word),
      holdsValue: holdsNow(word, areInFiles),
      splits: partsOf(word).some(
        ({ part, isQuoted }) =>
          (canSplit(part, isQuoted) && holdsNow(part, areInFiles)) || (areInFiles && isPattern(part)),
      ),
      folder: isWhole && others.length === 0 ? folder : undefined,
      readings: found,
    };
  };
  return { functions, holds: holdsNow, read };
}

function isText(part: WordPart): part is Extract<WordPart, { type: 'Literal' | 'SingleQuoted' }> {
  return part.type === 'Literal' || part.type === 'SingleQuoted';
}

/** Returns whether an unquoted part can expand to the names of files. */
function isPattern(part: WordPart): boolean {
  return part.type === 'Glob' || part.type === 'ExtendedGlob';
}

/** Returns whether a node expands a variable, the output of a command or the names of files. */
function expands(node: SyntaxNode): boolean {
  return expanding.has(node.type) || childrenOf(node).some(expands);
}

const expanding: ReadonlySet<string> = new Set<SyntaxNode['type']>([
  ...(['SimpleExpansion', 'ParameterExpansion', 'CommandExpansion', 'ProcessSubstitution'] as const),
  ...(['Glob', 'ExtendedGlob'] as const),
]);

/** Returns whether part of a word can expand to several words, because it is unquoted or a list. */
function canSplit(part: WordPart, isQuoted: boolean): boolean {
  if (part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'ProcessSubstitution')
    return false;
  return !isQuoted || /^\$(?:@|\{@|\{!|\{\w+\[@)/.test(part.text);
}

const maxVariables = 200;
const maxDepth = 4;
const maxReadings = 8;

/** A source of a variable's value. The source `unknown` may contain inserted values. */
type Source = Word | Exclude<SyntaxNode, Word> | 'unknown';

function isWord(source: Source): source is Word {
  return source !== 'unknown' && source.type === 'Word';
}

function collect(script: SyntaxNode, assigned: Map<string, Source[]>, functions: Set<string>): void {
  const add = (name: string, ...sources: readonly Source[]): void => {
    assigned.set(name, [...(assigned.get(name) ?? []), ...sources]);
  };
  const waiting = [script];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.type === 'Assignment') {
      const isWhole = node.append !== true && node.index === undefined && node.value.type === 'Word';
      add(node.name, isWhole ? quoted(node.value) : node);
    } else if (node.type === 'For' || node.type === 'Select') {
      add(
        node.name.value,
        ...(node.type === 'For' ? (node.wordlist ?? ['unknown' as const]) : ['unknown' as const]),
      );
    } else if (node.type === 'Function') {
      functions.add(node.name.value);
    } else if (node.type === 'Command' && node.name?.value === 'read') {
      for (const argument of node.args) if (argument.type === 'Word') add(argument.value, 'unknown');
    } else if (node.type === 'ParameterExpansion' && node.operation?.type === 'Default') {
      if (node.operation.operator.includes('=')) add(node.parameter, node);
    }
    waiting.push(...childrenOf(node));
  }
}

/** Returns an assigned value with all its parts quoted, because the shell does not split it. */
function quoted(value: SyntaxNode): Source {
  if (value.type !== 'Word' || value.parts === undefined) return value;
  const parts = value.parts.map((part): WordPart => {
    if (part.type !== 'SimpleExpansion' && part.type !== 'ParameterExpansion') return part;
    return { type: 'DoubleQuoted', pos: part.pos, end: part.end, text: part.text, parts: [part] };
  });
  return { ...value, text: value.text, value: value.value, parts };
}

// Variables that the shell sets to words of the script or to arguments.
const filled = /^(?:\d+|[@*_]|REPLY|MAPFILE|OPTARG|COPROC|BASH_\w+|SKILLED_ARG\w*)$/;

function isHoldingName(name: string | undefined, holding: ReadonlySet<string>): boolean {
  return name !== undefined && (holding.has(name) || filled.test(name));
}

function variableIn(node: SyntaxNode): string | undefined {
  if (node.type === 'SimpleExpansion') return node.text.slice(1);
  return node.type === 'ParameterExpansion' ? node.parameter : undefined;
}

/** Returns the variable's name if this part of a word expands a variable without changes. */
function plainVariable(part: WordPart): string | undefined {
  if (part.type !== 'ParameterExpansion') return variableIn(part);
  const { prefix, index, operation, parameter } = part;
  return prefix === undefined && index === undefined && operation === undefined ? parameter : undefined;
}

function partsOf(word: Word): readonly { readonly part: WordPart; readonly isQuoted: boolean }[] {
  const { pos, end, text, value } = word;
  if (word.parts === undefined)
    return [{ part: { type: 'Literal', pos, end, text, value }, isQuoted: false }];
  return word.parts.flatMap<{ readonly part: WordPart; readonly isQuoted: boolean }>((part) =>
    part.type === 'DoubleQuoted'
      ? part.parts.map((inner) => ({ part: inner, isQuoted: true }))
      : [{ part, isQuoted: false }],
  );
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  unbash().forEachChild(node, (child) => void children.push(child));
  return children;
}
