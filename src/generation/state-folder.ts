import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AgentError, generationFolder } from '../core/index.ts';
import { realPath, systemCode } from '../files/index.ts';

/**
 * Paths of the state that generation keeps for a skill. The state is in a hidden folder next to the bundle,
 * so that code can be moved between them by renaming.
 */
export interface GenerationPaths {
  /** The skill folder's real path, so that every path to the same bundle has the same state folder. */
  readonly bundle: string;
  readonly folder: string;
  readonly lock: string;
  /** The journal for swapping old code for new code. */
  readonly journal: string;
  readonly failure: string;
}

/** Returns the paths for a bundle, whether or not it exists. */
export function generationPaths(dir: string): GenerationPaths {
  const bundle = realPath(dir);
  const folder = join(dirname(bundle), generationFolder, basename(bundle));
  const inside = (name: string): string => join(folder, name);
  return {
    bundle,
    folder,
    lock: inside('lock'),
    journal: inside('swap.json'),
    failure: inside('failure.json'),
  };
}

/** Creates the state folder if it is missing. Throws `skill.failed` if that is not possible. */
export function createStateFolder({ bundle, folder }: GenerationPaths): void {
  const around = dirname(folder);
  try {
    makeFolder(around);
    ignoreInGit(around);
    makeFolder(folder);
  } catch (thrown) {
    throw notWritable(bundle, dirname(around), thrown);
  }
}

/** Returns the error for a folder that generation needs but cannot write to. */
export function notWritable(bundle: string, folder: string, cause: unknown): AgentError {
  const reason = systemCode(cause);
  const why = reason === undefined ? '' : ` (${reason})`;
  const message = `Code for ${bundle} cannot be generated because ${folder} is not writable${why}.`;
  return new AgentError('skill.failed', message, {
    hint: 'Make the folder writable, or copy the skill to a folder of your own.',
    cause,
  });
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (thrown) {
    // A symlink is rejected, because its target could be anywhere.
    if (systemCode(thrown) !== 'EEXIST' || !lstatSync(path).isDirectory()) throw thrown;
  }
}

function ignoreInGit(folder: string): void {
  try {
    writeFileSync(join(folder, '.gitignore'), '*\n', { flag: 'wx' });
  } catch (thrown) {
    if (systemCode(thrown) !== 'EEXIST') throw thrown;
  }
}
