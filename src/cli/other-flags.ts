import type { ParseArgsOptionsConfig } from 'node:util';
import type { GivenFlag } from './command.ts';

/**
 * Takes the long flags out of a command line that are not among these options: `--key value`, `--key=value`, or `--key`
 * alone. Short flags stay, so that an unknown one is still a mistake; behind `--` everything stays. Pure.
 */
export function splitFlags(
  args: readonly string[],
  options: ParseArgsOptionsConfig,
): { readonly known: readonly string[]; readonly given: readonly GivenFlag[] } {
  const known: string[] = [];
  const given: GivenFlag[] = [];
  for (let index = 0; index < args.length; index++) {
    const word = args[index] ?? '';
    if (word === '--') return { known: [...known, ...args.slice(index)], given };
    const [, name = '', inline] = /^--([^=]+)(?:=([^]*))?$/.exec(word) ?? [];
    const next = args[index + 1];
    if (name === '') known.push(word);
    else if (isKnown(name, options)) {
      known.push(word);
      const takesNext = options[name]?.type === 'string' && inline === undefined && next !== undefined;
      if (takesNext) known.push(args[++index] ?? '');
    } else if (inline !== undefined) given.push({ name, value: inline });
    else if (next === undefined || isFlag(next)) given.push({ name, value: true });
    else given.push({ name, value: args[++index] ?? '' });
  }
  return { known, given };
}

function isKnown(name: string, options: ParseArgsOptionsConfig): boolean {
  if (Object.hasOwn(options, name)) return true;
  const positive = name.startsWith('no-') ? name.slice(3) : '';
  return Object.hasOwn(options, positive) && options[positive]?.type === 'boolean';
}

/** A dash alone stands for stdin, and one before a digit makes a negative number. */
function isFlag(word: string): boolean {
  return /^-[^\d.]/.test(word);
}
