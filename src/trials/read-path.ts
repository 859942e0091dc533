import { posix } from 'node:path';
import type { Part } from './part.ts';

/** The path below the workspace that a member is named by; what leads out of it is wrong. */
export function readPath(part: Part): string {
  const path = posix.normalize(part.key);
  if (posix.isAbsolute(path) || path === '.' || path === '..' || path.startsWith('../'))
    part.wrong('must be a path inside of the workspace.');
  return path;
}
