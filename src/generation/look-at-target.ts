import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '../core/error.ts';
import { systemCode } from '../files/file-fault.ts';
import { hashFile } from './hash-file.ts';

/** What stands where a file is to be made: nothing, a file with the hash of its bytes, or something that keeps it from being made. */
export type TargetState = 'nothing' | { readonly digest: string } | { readonly fault: string };

/** Looks at a target in the folder of a skill, through no link. Never throws. */
export function lookAtTarget(dir: string, target: string): TargetState {
  const parts = ['src', ...target.split('/')];
  try {
    for (const [index] of parts.entries()) {
      const path = parts.slice(0, index + 1).join('/');
      const stats = lstatSync(join(dir, path), { throwIfNoEntry: false });
      if (stats === undefined) return 'nothing';
      const isLast = index === parts.length - 1;
      if (isLast ? !stats.isFile() : !stats.isDirectory()) {
        const kind = stats.isSymbolicLink() ? 'a link' : isLast ? 'no regular file' : 'no folder';
        return { fault: `${path} is ${kind}` };
      }
    }
    return { digest: hashFile(join(dir, ...parts)) };
  } catch (thrown) {
    return { fault: `${parts.join('/')} cannot be read: ${systemCode(thrown) ?? reasonOf(thrown)}` };
  }
}
