import { AgentError } from '../core/error.ts';
import { below, isWithin } from './paths.ts';
import { sep } from 'node:path';

const kept = ['.git', '.skilled'];

/** Throws for what decides about this agent or runs by itself later: what is in, or is, a `.git` or a `.skilled`. */
export function checkUnprotected(roots: readonly string[], real: string, shown: string): void {
  for (const root of roots.filter((folder) => isWithin(real, folder))) {
    const names = below(root, real).split(sep).map(plainName);
    const found = kept.find((name) => names.includes(name));
    if (found === undefined) continue;
    throw new AgentError('policy.denied', `"${shown}" lies in ${found}, which this skill does not change.`, {
      hint: found === '.git' ? 'Use git itself.' : 'A person changes the settings of skilled.',
    });
  }
}

/** A name as the file systems see it that take several spellings for one: by case, by form, by what is not seen, by stream. */
function plainName(name: string): string {
  const letters = name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase();
  const plain = letters.replace(/:.*$/s, '').replace(/[. ]+$/, '');
  return shortNames.get(plain) ?? plain;
}

// What Windows calls them where names have eight letters.
const shortNames: ReadonlyMap<string, string> = new Map([
  ['git~1', '.git'],
  ['skille~1', '.skilled'],
]);
