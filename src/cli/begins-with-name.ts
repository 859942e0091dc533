import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { InputSources } from './input.ts';

/**
 * Whether the words of a command line begin with the name of a skill behind an at sign. A single word stands for a file
 * where there is one; without blanks in it, it is a name only when a skill is called so.
 */
export function beginsWithName(
  [first = '', ...others]: readonly string[],
  { cwd }: Pick<InputSources, 'cwd'>,
  isSkill: (name: string) => boolean,
): boolean {
  const name = /^@([\p{L}\p{N}]\S*)/u.exec(first)?.[1];
  if (name === undefined) return false;
  if (others.length > 0) return true;
  if (existsSync(resolve(cwd, first.slice(1)))) return false;
  return name.length + 1 < first.trim().length || isSkill(name);
}
