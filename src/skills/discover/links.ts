import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Issue } from '../../core/index.ts';
import { isWithin } from '../../files/index.ts';
import type { Root } from './listing.ts';
import type { RootWalk } from './scan-state.ts';

/** What stands at the end of a link. */
interface LinkedPath {
  readonly real: string;
  readonly kind: 'file' | 'folder' | 'other';
}

/** Where a path leads, every link resolved; undefined when there is nothing at its end. */
export function targetOf(path: string): LinkedPath | undefined {
  try {
    const real = realpathSync.native(path);
    const stats = statSync(real);
    return { real, kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other' };
  } catch {
    return undefined; // missing, dangling or a loop of links: there is nothing to enter
  }
}

/** Whether a link may be followed to its target; one that leads out of every allowed folder is reported. */
export function mayFollow(path: string, { real, kind }: LinkedPath, state: RootWalk): boolean {
  if (state.walk.allowed.some((folder) => isWithin(real, folder))) return true;
  state.walk.issues.push({
    level: 'warning',
    code: 'scan.link-outside',
    message: 'The link leads out of its root and is not followed.',
    file: path,
    hint: `Copy what it points to, or add "${kind === 'folder' ? real : dirname(real)}" to allowSymlinkTargets.`,
  });
  return false;
}

/** The real path of a root; undefined when it is no folder, which is worth a finding where the user named it. */
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
