import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf, type Issue } from '../core/index.ts';
import { systemCode } from '../files/index.ts';
import { hashFile } from './file-access.ts';

/** The file in `src` that is made of a spec, by its path in `specs`; undefined where that would be no proper place. */
export function targetOf(path: string): string | undefined {
  const rest = path.replace(/\.mds?$/i, '').replace(/^src\//, '');
  const target = hasExtension(rest) ? rest : `${rest}.ts`;
  return isTarget(target) ? target : undefined;
}

/** Whether a path leads to a file in `src` that could be generated: no way out, nothing hidden, no name that others read differently. */
export function isTarget(path: string): boolean {
  return path.split('/').every((part) => part !== '' && !/^\.|[\\:\p{Cc}\ufffd]/u.test(part));
}

/** Whether a name ends like that of source code. */
export function isCode(path: string): boolean {
  return /\.(?:[cm]?ts|[cm]?js)$/i.test(path);
}

/** A path without its extension. */
export function withoutExtension(path: string): string {
  return path.replace(/\.[a-z]{1,5}$/i, '');
}

function hasExtension(path: string): boolean {
  return /[^/]\.[a-z]{1,5}$/i.test(path);
}

/** A spec by its path in the folder of the skill, and what is made of it. */
interface Pair {
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

/** What stands where a file is to be made: nothing, a file with the hash of its bytes, or something that keeps it from being made. */
export type TargetState = 'nothing' | { readonly digest: string } | { readonly fault: string };

/** Looks at a target in the folder of a skill, through no link. Never throws. */
export function lookAtTarget(dir: string, target: string): TargetState {
  const parts = ['src', ...target.split('/')];
  try {
    for (const [index] of parts.entries()) {
      const path = parts.slice(0, index + 1).join('/');
      const stats = lstatSync(join(dir, path), { throwIfNoEntry: false });
      if (stats === undefined) return 'nothing';
      const isLast = index === parts.length - 1;
      if (isLast ? !stats.isFile() : !stats.isDirectory()) {
        const kind = stats.isSymbolicLink() ? 'a link' : isLast ? 'no regular file' : 'no folder';
        return { fault: `${path} is ${kind}` };
      }
    }
    return { digest: hashFile(join(dir, ...parts)) };
  } catch (thrown) {
    return { fault: `${parts.join('/')} cannot be read: ${systemCode(thrown) ?? reasonOf(thrown)}` };
  }
}
