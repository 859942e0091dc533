import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AgentError, generationFolder } from '../core/index.ts';
import { realPath, systemCode } from '../files/index.ts';

/** Where the generation of a skill keeps what is its own: beside the bundle, so that a rename leads there, and hidden. */
export interface GenerationPlace {
  /** The folder of the skill, real path: one bundle has one place, however it is reached. */
  readonly bundle: string;
  readonly folder: string;
  readonly lock: string;
  /** What is written while new code takes the place of old. */
  readonly journal: string;
  readonly failure: string;
}

/** The place of a bundle, whether it is there or not. */
export function placeOf(dir: string): GenerationPlace {
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

/** Makes the folder of a place where it is missing; throws `skill.failed` where it cannot be made. */
export function makePlace({ bundle, folder }: GenerationPlace): void {
  const around = dirname(folder);
  try {
    makeFolder(around);
    keepOutOfGit(around);
    makeFolder(folder);
  } catch (thrown) {
    throw notWritable(bundle, dirname(around), thrown);
  }
}

/** The failure to write where code is to be generated. */
export function notWritable(bundle: string, folder: string, cause: unknown): AgentError {
  const reason = systemCode(cause);
  const why = reason === undefined ? '' : ` (${reason})`;
  const message = `The code of ${bundle} cannot be generated: ${folder} cannot be written${why}.`;
  return new AgentError('skill.failed', message, {
    hint: 'Make the folder writable, or copy the skill to a folder of your own.',
    cause,
  });
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (thrown) {
    if (systemCode(thrown) !== 'EEXIST' || !lstatSync(path).isDirectory()) throw thrown; // a link could lead anywhere
  }
}

function keepOutOfGit(folder: string): void {
  try {
    writeFileSync(join(folder, '.gitignore'), '*\n', { flag: 'wx' });
  } catch (thrown) {
    if (systemCode(thrown) !== 'EEXIST') throw thrown;
  }
}
