import type { Assignment, ParameterExpansionPart, SyntaxNode, Word } from 'unbash';
import { unbash } from './parser.ts';
import type { ShellWord } from './word.ts';

/**
 * Returns whether a shell treats variable values or command output in a script as more than data: as
 * numbers in a calculation, as a variable's name or index, or as text to expand again. A value used in this
 * way could contain a command. Pure; throws if the script cannot be read.
 */
export function evaluatesVariables(script: string): boolean {
  const waiting: SyntaxNode[] = [unbash().parse(script)];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (isEvaluating(node)) return true;
    unbash().forEachChild(node, (child) => void waiting.push(child));
  }
  return false;
}

/** Returns whether a syntax node, without its children, evaluates variable values or command output. */
export function isEvaluating(node: SyntaxNode): boolean {
  switch (node.type) {
    case 'ArithmeticWord':
      return !/^\d+$/.test(node.value);
    case 'ArithmeticCommandExpansion':
      return true;
    case 'ArithmeticExpansion':
    case 'ArithmeticCommand':
      return node.expression === undefined;
    case 'ParameterExpansion':
      return isEvaluatingExpansion(node);
    case 'Slice':
      return !isNumber(node.offset) || (node.length !== undefined && !isNumber(node.length));
    case 'Assignment':
      return isEvaluatingAssignment(node);
    case 'TestUnary':
      return node.operator === '-v' || node.operator === '-R';
    case 'TestBinary':
      return /^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator) && !(isNumber(node.left) && isNumber(node.right));
    default:
      return false;
  }
}

/**
 * Returns whether an expansion is indirect, has a calculated index, or expands a prompt, which can run
 * commands.
 */
function isEvaluatingExpansion({ prefix, index, operation }: ParameterExpansionPart): boolean {
  if (prefix === '!' || (index !== undefined && !/^(?:\d+|[@*])$/.test(index.value))) return true;
  if (operation?.type === 'Transform') return !/^[UuLQEAKka]$/.test(operation.operand.value);
  return operation?.type === 'Unknown';
}

function isEvaluatingAssignment({ index, value }: Assignment): boolean {
  if (index !== undefined && !/^\d+$/.test(index.value)) return true;
  return value.type === 'ArrayValue' && value.elements.some(({ text }) => /^\[(?!\d+\])/.test(text));
}

function isNumber(word: Word): boolean {
  return /^\s*-?\d+\s*$/.test(word.value);
}

const powerful =
  /^(?:PATH|IFS|ENV|BASH_.*|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|LD_.*|DYLD_.*|NODE_OPTIONS|PYTHONSTARTUP)$/;

/**
 * Returns whether a shell, an interpreter or the program loader uses a variable to find or start programs.
 */
export function isPowerfulVariable(name: string): boolean {
  return powerful.test(name);
}

// Builtins that change the meaning of later commands, or that evaluate their arguments.
const changing: ReadonlySet<string> = new Set([
  ...['alias', 'export', 'declare', 'typeset', 'local', 'readonly', 'unset', 'let', 'getopts'],
  ...['mapfile', 'readarray', 'enable', 'hash', 'shopt', 'bind', 'complete', 'compgen', 'jobs'],
]);

/** Returns whether a simple command leaves the meaning of later commands unchanged. */
export function keepsMeaning(name: string, [first, ...more]: readonly ShellWord[]): boolean {
  if (changing.has(name)) return false;
  if (first === undefined) return true;
  const words = [first, ...more];
  switch (name) {
    case 'set':
      return words.every(({ value }) => /^(?:[-+][efuxo]+|pipefail|errexit|nounset|xtrace)$/.test(value));
    case 'read':
      return words.every(({ value }) => /^-[a-zA-Z]\d*$/.test(value) || isOwnVariable(value));
    case 'printf':
      return first.isLiteral && !first.value.startsWith('-v');
    case 'wait':
      return words.every(({ value }) => /^(?:\d+|-[nf])$/.test(value));
    case 'test':
    case '[':
      return words.every(({ value, isLiteral }) => isLiteral && value !== '-v' && value !== '-R');
    default:
      return true;
  }
}

/**
 * Returns whether a variable affects only the script that sets it, unlike PATH, which other programs read.
 */
export function isOwnVariable(name: string): boolean {
  return /^[a-z][a-z0-9_]*$/.test(name) && !name.endsWith('_proxy');
}

const neutral = new Set(
  `FILE FILES FILENAME DIR FOLDER NAME TARGET SOURCE SRC DEST BRANCH BASE HEAD REF TAG PR ISSUE ID NUMBER NUM QUERY
  PATTERN SEARCH TERM TEXT MESSAGE MSG TITLE BODY URL VERSION SLUG INPUT OUTPUT OUT ARG ARGS ARGUMENT ARGUMENTS VALUE
  WORD PROJECT MODULE FEATURE TOPIC TYPE SCOPE SERVICE POD NAMESPACE IMAGE CONTAINER PACKAGE PKG LIMIT COUNT DAYS
  DATE SINCE MODE PHASE STAGE SPEC PLAN TASK STATUS COMMIT SHA RANGE REPO OWNER AUTHOR LABEL KEY COMPONENT NOTE
  REQUEST PROMPT QUESTION X Y A B F N`.split(/\s+/),
);

/**
 * Returns whether a variable may hold an inserted value, because its name has no meaning to any shell or
 * program.
 */
export function isNeutralVariable(name: string): boolean {
  if (isOwnVariable(name)) return true;
  const words = name.split('_');
  return words.every((word, index) => neutral.has(word) || (word === 'PATH' && index > 0));
}
