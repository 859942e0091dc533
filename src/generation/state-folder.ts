import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AgentError, generationFolder } from '../core/index.ts';
import { realPath, systemCode } from '../files/index.ts';

/**
 * The bundle of a skill and the paths in the state folder of its code generation. This hidden folder is next
 * to the bundle, so that code can be moved between the two by renaming.
 */
export interface GenerationPaths {
  /** The real path of the skill folder, so that links to the same bundle share one state folder. */
  readonly bundle: string;
  readonly folder: string;
  readonly lock: string;
  /** The journal of the swap that replaces old code with new code. */
  readonly journal: string;
  readonly failure: string;
}

/** Returns the paths for a bundle. The bundle need not exist. */
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

/** Creates the state folder if it is missing. Throws `skill.failed` if it cannot be created. */
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

/** Returns the error for a folder that must be writable for code generation but is not. */
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
    // Reject a link, because its target could be any folder.
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
