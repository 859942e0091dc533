import { existsSync, fstatSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { AgentError } from '../core/error.ts';

const isTold = process.platform === 'linux' && existsSync('/proc/self/fd');

/** Where the file or folder behind a handle is now, whatever the path that it was opened by means by now. */
export function pathBehind(handle: number, opened: string): string {
  return isTold ? readlinkSync(`/proc/self/fd/${handle}`) : comparedPath(handle, opened);
}

/** A path of a name in an open folder that leads into this very folder, even if another one stands in its place. */
export function childBehind(
  folder: { readonly handle: number; readonly path: string },
  name: string,
): string {
  return isTold ? `/proc/self/fd/${folder.handle}/${name}` : join(folder.path, name);
}

/** The same as `pathBehind` where no kernel tells it: the real path, if the handle is what is found there. */
export function comparedPath(handle: number, opened: string): string {
  const path = realpathSync.native(opened);
  const [held, found] = [fstatSync(handle, { bigint: true }), lstatSync(path, { bigint: true })];
  if (held.dev === found.dev && held.ino === found.ino) return path;
  throw new AgentError('skill.failed', 'The file was replaced while it was opened.', { hint: 'Try again.' });
}
