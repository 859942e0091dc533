import type { Assignment, ParameterExpansionPart, SyntaxNode, Word } from 'unbash';
import { unbash } from './parser.ts';
import type { ShellWord } from './word.ts';

/**
 * Whether a shell takes what variables or commands give for more than data while it reads a script: it calculates with
 * it, uses it as the name or the index of a variable, or expands it once more. A value that gets there could hold a
 * command. Pure; throws when the script cannot be read.
 */
export function evaluatesVariables(script: string): boolean {
  const waiting: SyntaxNode[] = [unbash().parse(script)];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (isEvaluating(node)) return true;
    unbash().forEachChild(node, (child) => void waiting.push(child));
  }
  return false;
}

/** Whether a piece of a script, its own pieces aside, is evaluated so. */
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

/** By way of another variable, with an index that is calculated, or as a prompt, in which commands run. */
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

/** Whether a shell, or what loads programs, reads a variable to find or to start them. */
export function isPowerfulVariable(name: string): boolean {
  return powerful.test(name);
}

// They set variables, options or names by which the commands after them become other commands, or evaluate their words.
const changing: ReadonlySet<string> = new Set([
  ...['alias', 'export', 'declare', 'typeset', 'local', 'readonly', 'unset', 'let', 'getopts'],
  ...['mapfile', 'readarray', 'enable', 'hash', 'shopt', 'bind', 'complete', 'compgen', 'jobs'],
]);

/** Whether the commands after a simple command still do what is written. */
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

/** Whether a variable means something only to the script that sets it, and not, like PATH, to the programs it starts. */
export function isOwnVariable(name: string): boolean {
  return /^[a-z][a-z0-9_]*$/.test(name) && !name.endsWith('_proxy');
}
