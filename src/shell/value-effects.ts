import type { SyntaxNode } from 'unbash';
import { unbash } from './parser.ts';

/**
 * A record of how the commands of a script can affect each other, except through variables, substitutions
 * and pipes: a command with an inserted value writes a file, or changes the folder or the environment, and
 * a later command uses the result. Commands are reported in the order in which they run.
 */
export interface Effects {
  /** Returns whether files that an earlier command wrote can contain a value. */
  readonly areInFiles: () => boolean;
  /**
   * Reports that a command with a value changes what later commands find. Returns the text of another command
   * that could run later and use it.
   */
  readonly add: (command: SyntaxNode, kind: 'files' | 'setting') => string | undefined;
  /**
   * Reports a command that could run code from files, the folder or the environment. Returns its text if
   * another command could have changed these.
   */
  readonly addUser: (command: SyntaxNode, text: string) => string | undefined;
}

/**
 * Creates an empty record. If the order of the commands is not certain, every command is treated as later
 * than every other.
 */
export function createEffects(hasOrder: boolean, wereInFiles: boolean): Effects {
  const changes: SyntaxNode[] = [];
  const users: { readonly command: SyntaxNode; readonly text: string }[] = [];
  let areInFiles = wereInFiles;
  return {
    areInFiles: () => areInFiles,
    add: (command, kind) => {
      changes.push(command);
      areInFiles ||= kind === 'files';
      return hasOrder ? undefined : users.find((user) => user.command !== command)?.text;
    },
    addUser: (command, text) => {
      users.push({ command, text });
      return changes.some((change) => change !== command) ? text : undefined;
    },
  };
}

/**
 * Returns whether a script runs its commands exactly in the order in which they are written, each at most
 * once.
 */
export function isOrdered(script: SyntaxNode): boolean {
  const waiting = [script];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (repeated.has(node.type) || (node.type === 'Statement' && node.background === true)) return false;
    unbash().forEachChild(node, (child) => void waiting.push(child));
  }
  return true;
}

const repeated: ReadonlySet<string> = new Set<SyntaxNode['type']>([
  ...(['For', 'Select', 'While', 'ArithmeticFor', 'Function', 'Coproc', 'ProcessSubstitution'] as const),
]);

/** Returns whether a redirect writes a file, rather than to a stream that is already open or to nothing. */
export function writesFile(operator: string, target: string): boolean {
  if (!operator.includes('>')) return false;
  if (operator === '>&' && /^(?:\d+|-)$/.test(target)) return false;
  return !/^\/+dev\/+(?:null|stdout|stderr)$/.test(target);
}
