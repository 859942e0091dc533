import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  type Stats,
} from 'node:fs';
import { join } from 'node:path';
import { AgentError, isAgentError } from '../core/index.ts';
import { digestFolder, fileFault, systemCode } from '../files/index.ts';
import { notWritable, type GenerationPlace } from './state-folder.ts';
import { discard } from './swap.ts';

const tries = 3;

/** Copies a bundle to `copy` in a new folder of its place, and gives its digest, which was the same before and after. */
export function copyBundle(place: GenerationPlace, staging: string): string {
  checkWritable(place);
  for (let count = 0; count < tries; count++) {
    try {
      mkdirSync(staging);
      copyFolder(place.bundle, join(staging, 'copy'));
      const origin = digestFolder(join(staging, 'copy'));
      if (digestFolder(place.bundle) === origin) return origin;
      discard(staging);
    } catch (thrown) {
      discard(staging);
      if (systemCode(thrown) !== 'ENOENT') throw copyFault(place, thrown); // else something went away meanwhile
    }
  }
  throw bundleChanged(place);
}

/** The refusal to go on with a bundle that is not what it was. */
export function bundleChanged({ bundle }: GenerationPlace): AgentError {
  return new AgentError('skill.changed', `The files of ${bundle} changed while its code was generated.`, {
    hint: 'Try again once nobody works on them.',
  });
}

/** Throws for all that would keep new code from its place, before anybody pays for it. */
function checkWritable({ bundle, folder }: GenerationPlace): void {
  const src = join(bundle, 'src');
  const stats = lstatSync(src, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isDirectory()) {
    throw new AgentError('skill.invalid', `${src} is no folder.`, { hint: 'Put a folder in its place.' });
  }
  for (const path of stats === undefined ? [bundle] : [bundle, src]) {
    try {
      accessSync(path, constants.W_OK);
    } catch (thrown) {
      throw notWritable(bundle, path, thrown);
    }
  }
  const device = lstatSync(folder).dev;
  if (lstatSync(bundle).dev === device && (stats?.dev ?? device) === device) return;
  const message = `The code of ${bundle} cannot be generated: it lies on another file system than the folder around it.`;
  const hint = 'Mount the folder around it, or copy the skill to a folder of your own.';
  throw new AgentError('skill.failed', message, { hint });
}

function copyFault({ bundle }: GenerationPlace, thrown: unknown): AgentError {
  if (isAgentError(thrown)) return thrown;
  const { path = bundle } = thrown as { readonly path?: string | Buffer };
  return fileFault(thrown, path.toString());
}

/** Copies a whole folder to a path where nothing is: links as they are, modes kept, but one can write into the copies of folders. */
export function copyFolder(from: string, to: string): void {
  copy(Buffer.from(from), Buffer.from(to));
}

/** Gives a new file to the owner of another, where this process may; only a privileged one makes files that are not the owner's. */
export function giveTo(path: string | Buffer, { uid, gid }: Pick<Stats, 'uid' | 'gid'>): void {
  if (process.getuid?.() !== 0) return;
  lchownSync(path, uid, gid);
}

const slash = Buffer.from('/');

/** Names are bytes here: not every name on a disk is text. */
function copy(from: Buffer, to: Buffer): void {
  const stats = lstatSync(from);
  if (stats.isDirectory()) {
    mkdirSync(to);
    chmodSync(to, (stats.mode & 0o7777) | 0o700);
    for (const name of readdirSync(from, { encoding: 'buffer' })) {
      copy(Buffer.concat([from, slash, name]), Buffer.concat([to, slash, name]));
    }
  } else if (stats.isSymbolicLink()) symlinkSync(readlinkSync(from, 'buffer'), to);
  else if (stats.isFile()) copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  else {
    throw new AgentError('skill.invalid', `${from.toString()} is neither file, folder nor link.`, {
      hint: 'Remove it from the folder of the skill.',
    });
  }
  giveTo(to, stats);
}
