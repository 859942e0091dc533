import { readdirSync, type Stats } from 'node:fs';
import type { Grant } from '../../core/index.ts';
import { childOf, isWithin, realPath } from '../../files/index.ts';
import { lookAt, statsOf, type Identity } from '../cache/fingerprint.ts';

/** Something in a bundle's folder or below it. */
export interface BundleEntry {
  readonly path: string;
  /** Undefined when it cannot be looked at. */
  readonly stats: Stats | undefined;
  /** Set in and below hidden folders and `node_modules`, which are not watched. */
  readonly isRemote: boolean;
}

/** Everything below a folder, each folder entered only after `enter` was told of it; links are not followed. Never throws. */
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
    return []; // gone meanwhile or not ours to read: there is nothing to compare
  }
}

/** Whether a skill can run code that comes with it: its family says so of its descriptor, or it brings a folder of scripts. */
export function runsCode(
  { dir, loose = false }: { readonly dir: string; readonly loose?: boolean },
  familySays: boolean,
): boolean {
  if (familySays || dir === '' || loose) return familySays;
  return statsOf(childOf(dir, 'scripts'))?.isDirectory() === true;
}

/**
 * Which folders of skills a sandbox shows from their copies. One that holds the granted workspace is not: a copy would
 * cover that too.
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
