import type { CompoundList, Statement, SyntaxNode } from 'unbash';
import { unbash } from '../../shell/load-unbash.ts';
import { isReadable } from '../../shell/is-readable.ts';

const telling = new Set(['grep', 'rg', 'diff', 'cmp', 'test', '[', 'which', 'pgrep']);

/** Whether exit code 1 of a script only says "no" or "different": whatever could have ended it with one says it that way. */
export function mayEndWithOne(script: string): boolean {
  if (!isReadable(script)) return false;
  const { commands, errors = [] } = unbash().parse(script);
  return errors.length === 0 && lastTells(commands);
}

function lastTells(statements: readonly Statement[]): boolean {
  const last = statements.at(-1);
  return last !== undefined && last.background !== true && tells(last.command);
}

function tells(node: SyntaxNode | CompoundList): boolean {
  switch (node.type) {
    case 'AndOr': {
      const from = node.operators.lastIndexOf('||') + 1; // what stood before it has failed already
      return node.commands.slice(from).every(tells);
    }
    case 'Pipeline': {
      const last = node.commands.at(-1);
      return last !== undefined && tells(last);
    }
    case 'Subshell':
    case 'BraceGroup':
      return lastTells(node.body.commands);
    case 'TestCommand':
      return true;
    case 'Command':
      return telling.has(node.name?.value.replace(/^.*\//, '') ?? '');
    default:
      return false;
  }
}
