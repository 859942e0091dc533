import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Issue } from '../../core/index.ts';
import { isWithin } from '../../files/index.ts';
import type { Root } from './listing.ts';
import type { RootWalk } from './scan-state.ts';

/** The target of a link. */
interface LinkedPath {
  readonly real: string;
  readonly kind: 'file' | 'folder' | 'other';
}

/** Returns a path's target with all links resolved, or undefined if it does not exist. */
export function targetOf(path: string): LinkedPath | undefined {
  try {
    const real = realpathSync.native(path);
    const stats = statSync(real);
    return { real, kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other' };
  } catch {
    return undefined; // The path does not exist, is a broken link, or leads through a loop of links.
  }
}

/** Whether a link may be followed. Reports a link that points outside the allowed folders. */
export function mayFollow(path: string, { real, kind }: LinkedPath, state: RootWalk): boolean {
  if (state.walk.allowed.some((folder) => isWithin(real, folder))) return true;
  state.walk.issues.push({
    level: 'warning',
    code: 'scan.link-outside',
    message: 'The link points outside its root and is not followed.',
    file: path,
    hint: `Replace the link with a copy of its target, or add "${kind === 'folder' ? real : dirname(real)}" to allowSymlinkTargets.`,
  });
  return false;
}

/**
 * Returns the real path of a root, or undefined if it is not a folder. In the latter case, reports an issue
 * if the user named the root.
 */
export function realRoot(root: Root, issues: Issue[]): string | undefined {
  const target = targetOf(root.path);
  if (target?.kind === 'folder') return target.real;
  if (root.named === true) {
    const message =
      target === undefined ? 'The skills folder does not exist.' : 'The skills root is not a folder.';
    issues.push({
      level: 'warning',
      code: 'scan.no-root',
      message,
      file: root.path,
      hint: 'Check the path.',
    });
  }
  return undefined;
}
