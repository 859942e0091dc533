import {
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
import { AgentError } from '../core/error.ts';

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
