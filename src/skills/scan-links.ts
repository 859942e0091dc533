import { realpathSync, statSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import type { Issue } from '../core/issue.ts';
import type { Root } from './root.ts';
import type { RootWalk } from './scan-state.ts';

/** The real path behind a link when it is of the wanted kind and may be entered; one that leads out is reported. */
export function resolveLink(path: string, at: string, kind: 'file' | 'folder', state: RootWalk): string | undefined {
  const real = realPath(at);
  if (real === undefined) return undefined;
  const stats = statSync(real, { throwIfNoEntry: false });
  if (stats === undefined || (kind === 'folder' ? !stats.isDirectory() : !stats.isFile())) return undefined;
  if (state.walk.allowed.some((folder) => real === folder || real.startsWith(folder + sep))) return real;
  state.walk.issues.push({
    level: 'warning',
    code: 'scan.link-outside',
    message: 'The link leads out of its root and is not followed.',
    file: path,
    hint: `Copy what it points to, or add "${kind === 'folder' ? real : dirname(real)}" to allowSymlinkTargets.`,
  });
  return undefined;
}

/** The real path of a root; undefined when it is no folder, which is worth a finding where the user named it. */
export function realRoot(root: Root, issues: Issue[]): string | undefined {
  const real = realPath(root.path);
  if (real !== undefined && statSync(real, { throwIfNoEntry: false })?.isDirectory() === true) return real;
  if (root.named === true) {
    const message = 'The skills folder does not exist.';
    issues.push({ level: 'warning', code: 'scan.no-root', message, file: root.path, hint: 'Check the path.' });
  }
  return undefined;
}

/** The path with every link resolved; undefined when there is nothing at its end. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined; // missing, dangling or a loop of links: there is nothing to enter
  }
}
