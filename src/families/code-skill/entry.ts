import { realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { AgentError } from '../../core/index.ts';
import { isWithin, realPath } from '../../files/index.ts';

/** Creates the error for an entry module that cannot run. */
export function entryFault(dir: string, path: string, fault: EntryFault): AgentError {
  const file = join(dir, path);
  if (fault === 'outside') {
    return new AgentError('skill.invalid', `${file} is a link to a file outside the skill folder.`, {
      hint: 'Replace the link with the file itself.',
    });
  }
  return new AgentError(
    'skill.invalid',
    `${file} cannot run: Node.js does not strip types in node_modules.`,
    {
      hint: 'Ship src/index.js or .mjs with the package, or move the skill out of node_modules.',
    },
  );
}

/** Creates the error for a skill without an entry module. */
export function noEntry(dir: string): AgentError {
  const where = dir === '' ? 'the skill' : dir;
  return new AgentError('skill.invalid', `There is no src/index.ts, .mts, .mjs or .js in ${where}.`, {
    hint: 'Add one of these files and export the function action(input, scope), or describe the function in specs/index.md.',
  });
}

/**
 * The reason why an entry module cannot run. `outside`: it is a link to a file outside the folder. `typed`:
 * it is TypeScript in `node_modules`, where Node.js does not strip types.
 */
type EntryFault = 'outside' | 'typed';

/** The module that runs when the skill is called. */
export interface EntryModule {
  /** The path relative to the skill's folder, such as `src/index.ts`. */
  readonly path: string;
  readonly fault?: EntryFault;
}

const names = ['index.ts', 'index.mts', 'index.mjs', 'index.js'];

/**
 * Finds the first entry module that can run. If none can run, returns the first one found, or undefined if
 * there are no entry modules. Never throws.
 */
export function findEntry(dir: string): EntryModule | undefined {
  let faulty: EntryModule | undefined;
  for (const name of dir === '' ? [] : names) {
    const entry = entryAt(dir, `src/${name}`);
    if (entry !== undefined && entry.fault === undefined) return entry;
    faulty ??= entry;
  }
  return faulty;
}

function entryAt(dir: string, path: string): EntryModule | undefined {
  try {
    const real = realpathSync.native(join(dir, path));
    if (!statSync(real).isFile()) return undefined;
    if (!isWithin(real, realPath(dir))) return { path, fault: 'outside' };
    return isTyped(real) && real.split(sep).includes('node_modules') ? { path, fault: 'typed' } : { path };
  } catch {
    return undefined; // The file is missing or unreadable, so it cannot be an entry module.
  }
}

function isTyped(path: string): boolean {
  return /\.m?ts$/.test(path);
}
