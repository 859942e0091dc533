import { readdirSync, type Stats } from 'node:fs';
import type { Grant } from '../../core/index.ts';
import { childOf, isWithin, realPath } from '../../files/index.ts';
import { lookAt, statsOf, type Identity } from '../cache/fingerprint.ts';

/** A file, folder or link in a bundle. */
export interface BundleEntry {
  readonly path: string;
  /** The entry's stats. Undefined if the entry cannot be accessed. */
  readonly stats: Stats | undefined;
  /** Whether the entry is in a hidden folder or in `node_modules`. Such folders are not watched. */
  readonly isRemote: boolean;
}

/**
 * Yields everything in a folder, without following links. Calls `enter` before it lists a subfolder that is
 * watched. Never throws.
 */
export function* entriesOf(
  bundle: string,
  enter: (dir: string, identity: Identity) => void,
): Generator<BundleEntry> {
  const folders: { readonly dir: string; readonly isRemote: boolean }[] = [{ dir: bundle, isRemote: false }];
  for (const { dir, isRemote } of folders) {
    for (const name of namesIn(dir)) {
      const path = childOf(dir, name);
      const stats = lookAt(path);
      if (stats?.isDirectory() === true) {
        const isApart = isRemote || name.startsWith('.') || name === 'node_modules';
        if (!isApart) enter(path, { ino: stats.ino, birth: stats.birthtimeMs });
        folders.push({ dir: path, isRemote: isApart });
      }
      yield { path, stats, isRemote };
    }
  }
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir).sort();
  } catch {
    return []; // The folder was removed or cannot be read.
  }
}

/**
 * Whether a skill can run its own code. This is true if the skill's family treats the descriptor as code, or
 * if the skill has a `scripts` folder.
 */
export function runsCode(
  { dir, loose = false }: { readonly dir: string; readonly loose?: boolean },
  familySays: boolean,
): boolean {
  if (familySays || dir === '' || loose) return familySays;
  return statsOf(childOf(dir, 'scripts'))?.isDirectory() === true;
}

/**
 * Returns the skill folders that a sandbox replaces with copies. Omits a folder that contains the workspace,
 * because its copy would hide the workspace.
 */
export function copiesShown(
  folders: Iterable<readonly [folder: string, copy: string | undefined]>,
  workspace: string | undefined,
): Pick<Grant, 'from'> {
  const shown = [...folders].filter(
    ([folder, copy]) =>
      copy !== undefined && !(workspace !== undefined && isWithin(realPath(workspace), realPath(folder))),
  );
  return shown.length === 0 ? {} : { from: Object.fromEntries(shown) as Record<string, string> };
}
