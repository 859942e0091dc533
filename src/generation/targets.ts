import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf, type Issue } from '../core/index.ts';
import { systemCode } from '../files/index.ts';
import { hashFile } from './file-access.ts';

/**
 * Returns the target of a spec, which is the path in `src` of the file to generate, or undefined if the
 * target would be invalid. `path` is the path of the spec in `specs`.
 */
export function targetOf(path: string): string | undefined {
  const rest = path.replace(/\.mds?$/i, '').replace(/^src\//, '');
  const target = hasExtension(rest) ? rest : `${rest}.ts`;
  return isTarget(target) ? target : undefined;
}

/**
 * Whether a path is a valid target. It must be inside `src`, contain no hidden folders or files, and have the
 * same meaning on every operating system.
 */
export function isTarget(path: string): boolean {
  return path.split('/').every((part) => part !== '' && !/^\.|[\\:\p{Cc}\ufffd]/u.test(part));
}

/** Whether a file name has a source code extension. */
export function isCode(path: string): boolean {
  return /\.(?:[cm]?ts|[cm]?js)$/i.test(path);
}

/** Returns a path without its extension. */
export function withoutExtension(path: string): string {
  return path.replace(/\.[a-z]{1,5}$/i, '');
}

function hasExtension(path: string): boolean {
  return /[^/]\.[a-z]{1,5}$/i.test(path);
}

/** The path of a spec in the skill folder, and its target. */
interface Pair {
  readonly path: string;
  readonly target: string;
}

/** Finds conflicting targets: two specs for the same file, or a file with the same path as a folder. */
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

/**
 * Normalizes a path, so that paths are equal if some file systems treat them as equal. Such file systems
 * ignore case and the Unicode normalization form.
 */
function plain(target: string): string {
  return target.normalize('NFC').toLowerCase().normalize('NFC');
}

function shown({ target }: Pair, { target: other }: Pair): string {
  return target === other
    ? `src/${target}`
    : `src/${other}, which many systems cannot tell from src/${target}`;
}

function clash(dir: string, { path }: Pair, what: string): Issue {
  return {
    level: 'error',
    code: 'spec.clash',
    message: `${what[0]?.toUpperCase() ?? ''}${what.slice(1)}.`,
    file: join(dir, path),
    hint: 'Rename or remove one of the specs.',
  };
}

/**
 * The state of a target: no file, a file with a hash, or an entry that cannot be replaced, with the reason.
 */
export type TargetState = 'nothing' | { readonly digest: string } | { readonly fault: string };

/** Returns the state of a target in a skill folder without following links. Never throws. */
export function lookAtTarget(dir: string, target: string): TargetState {
  const parts = ['src', ...target.split('/')];
  try {
    for (const [index] of parts.entries()) {
      const path = parts.slice(0, index + 1).join('/');
      const stats = lstatSync(join(dir, path), { throwIfNoEntry: false });
      if (stats === undefined) return 'nothing';
      const isLast = index === parts.length - 1;
      if (isLast ? !stats.isFile() : !stats.isDirectory()) {
        const kind = stats.isSymbolicLink() ? 'a link' : isLast ? 'not a regular file' : 'not a folder';
        return { fault: `${path} is ${kind}` };
      }
    }
    return { digest: hashFile(join(dir, ...parts)) };
  } catch (thrown) {
    return { fault: `${parts.join('/')} cannot be read: ${systemCode(thrown) ?? reasonOf(thrown)}` };
  }
}
