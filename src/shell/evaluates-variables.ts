import type { Assignment, ParameterExpansionPart, SyntaxNode, Word } from 'unbash';
import { unbash } from './load-unbash.ts';

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
