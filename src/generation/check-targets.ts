import { join } from 'node:path';
import type { Issue } from '../core/issue.ts';

/** A spec by its path in the folder of the skill, and what is made of it. */
export interface Pair {
  readonly path: string;
  readonly target: string;
}

/** What is wrong with the targets of specs taken together: two for one file, or one for a folder of another. */
export function checkTargets(dir: string, pairs: readonly Pair[]): readonly Issue[] {
  const taken = new Map<string, Pair>();
  const issues: Issue[] = [];
  for (const pair of pairs) {
    const before = taken.get(plain(pair.target));
    if (before === undefined) taken.set(plain(pair.target), pair);
    else
      issues.push(
        clash(dir, pair, `both ${before.path} and ${pair.path} are specs of ${shown(pair, before)}`),
      );
  }
  for (const pair of pairs) {
    const parts = plain(pair.target).split('/');
    const folders = parts.slice(1).map((_part, index) => parts.slice(0, index + 1).join('/'));
    const file = folders.map((folder) => taken.get(folder)).find((found) => found !== undefined);
    if (file === undefined) continue;
    const what = `${file.path} makes src/${file.target} a file, and ${pair.path} makes it a folder`;
    issues.push(clash(dir, pair, what));
  }
  return issues;
}

/** A path as the file systems see it that do not tell case and form of letters. */
function plain(target: string): string {
  return target.normalize('NFC').toLowerCase().normalize('NFC');
}

function shown({ target }: Pair, { target: other }: Pair): string {
  return target === other
    ? `src/${target}`
    : `src/${other}, which many systems do not tell from src/${target}`;
}

function clash(dir: string, { path }: Pair, what: string): Issue {
  return {
    level: 'error',
    code: 'spec.clash',
    message: `${what[0]?.toUpperCase() ?? ''}${what.slice(1)}.`,
    file: join(dir, path),
    hint: 'Rename or remove one of them.',
  };
}
