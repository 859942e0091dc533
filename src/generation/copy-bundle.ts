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
import { notWritable, type GenerationPaths } from './state-folder.ts';
import { discard } from './swap.ts';

const tries = 3;

/**
 * Copies a bundle to a folder named `copy` in a new `staging` folder. Returns the bundle's digest. Throws if
 * the bundle keeps changing while it is copied.
 */
export function copyBundle(paths: GenerationPaths, staging: string): string {
  checkWritable(paths);
  for (let count = 0; count < tries; count++) {
    try {
      mkdirSync(staging);
      copyFolder(paths.bundle, join(staging, 'copy'));
      const origin = digestFolder(join(staging, 'copy'));
      if (digestFolder(paths.bundle) === origin) return origin;
      discard(staging);
    } catch (thrown) {
      discard(staging);
      // `ENOENT` means that an entry was removed while the bundle was being copied.
      if (systemCode(thrown) !== 'ENOENT') throw copyFault(paths, thrown);
    }
  }
  throw bundleChanged(paths);
}

/** Returns the error for a bundle that changed during generation. */
export function bundleChanged({ bundle }: GenerationPaths): AgentError {
  return new AgentError('skill.changed', `The files in ${bundle} changed during code generation.`, {
    hint: 'Try again when nothing else is changing these files.',
  });
}

/**
 * Throws if it would be impossible to install generated code. Called before the first model call, which costs
 * money.
 */
function checkWritable({ bundle, folder }: GenerationPaths): void {
  const src = join(bundle, 'src');
  const stats = lstatSync(src, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isDirectory()) {
    throw new AgentError('skill.invalid', `${src} is not a folder.`, { hint: 'Replace it with a folder.' });
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
  const message = `Code for ${bundle} cannot be generated: the skill is on a different file system than its parent folder.`;
  const hint = 'Mount the parent folder instead, or copy the skill to a folder of your own.';
  throw new AgentError('skill.failed', message, { hint });
}

function copyFault({ bundle }: GenerationPaths, thrown: unknown): AgentError {
  if (isAgentError(thrown)) return thrown;
  const { path = bundle } = thrown as { readonly path?: string | Buffer };
  return fileFault(thrown, path.toString());
}

/**
 * Copies a folder and its contents to a new path. Preserves links and file modes, except that all copied
 * folders are writable.
 */
export function copyFolder(from: string, to: string): void {
  copy(Buffer.from(from), Buffer.from(to));
}

/**
 * Changes the owner of a file to the given user and group. Has an effect only in a privileged process. Other
 * processes already own the files that they create.
 */
export function giveTo(path: string | Buffer, { uid, gid }: Pick<Stats, 'uid' | 'gid'>): void {
  if (process.getuid?.() !== 0) return;
  lchownSync(path, uid, gid);
}

const slash = Buffer.from('/');

/** Copies one entry of a folder. Paths are bytes, because file names on disk need not be valid text. */
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
    throw new AgentError('skill.invalid', `${from.toString()} is not a file, a folder or a link.`, {
      hint: 'Remove it from the skill folder.',
    });
  }
  giveTo(to, stats);
}
