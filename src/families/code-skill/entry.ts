import { realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { AgentError } from '../../core/index.ts';
import { isWithin, realPath } from '../../files/index.ts';

/** Why the module of a skill cannot be run. */
export function entryFault(dir: string, path: string, fault: EntryFault): AgentError {
  const file = join(dir, path);
  if (fault === 'outside') {
    return new AgentError('skill.invalid', `${file} leads out of the folder of the skill.`, {
      hint: 'Put the file itself there instead of a link.',
    });
  }
  return new AgentError('skill.invalid', `${file} cannot be run: Node strips no types below node_modules.`, {
    hint: 'Ship src/index.js or .mjs with the package, or put the skill elsewhere.',
  });
}

/** What is said of a folder without any. */
export function noEntry(dir: string): AgentError {
  const where = dir === '' ? 'the skill' : dir;
  return new AgentError('skill.invalid', `There is no src/index.ts, .mts, .mjs or .js in ${where}.`, {
    hint: 'Write one that exports the function action(input, scope), or describe it in specs/index.md.',
  });
}

/** Why a module cannot be run: a link leads out of the folder, or it lies where Node strips no types. */
type EntryFault = 'outside' | 'typed';

/** The module of a skill that is run. */
export interface EntryModule {
  /** From the folder of the skill, as `src/index.ts`. */
  readonly path: string;
  readonly fault?: EntryFault;
}

const names = ['index.ts', 'index.mts', 'index.mjs', 'index.js'];

/** The first of the modules that a skill may begin with, else one that cannot be run; undefined where there is none. Never throws. */
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
    return undefined; // it is not there, or nobody may look: whoever needs it learns that there is none
  }
}

function isTyped(path: string): boolean {
  return /\.m?ts$/.test(path);
}
