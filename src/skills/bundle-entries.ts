import { readdirSync, type Stats } from 'node:fs';
import type { Identity } from './fingerprint.ts';
import { childOf } from '../files/paths.ts';
import { lookAt } from './look-at.ts';

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
