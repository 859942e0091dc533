import type { ShellWord } from './shell-word.ts';
import { isOwnVariable } from './is-own-variable.ts';

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
