import { sep } from 'node:path';
import { hasHiddenCharacters } from '../../core/text.ts';
import { walkFiles } from '../../files/find-files.ts';
import { below, findRealPath } from '../../files/paths.ts';

/** The files of a bundle beside its descriptor. */
export type BundleFiles = {
  /** Relative, with slashes, in order. */
  readonly files: readonly string[];
  /** There are more than are listed. */
  readonly hasMore: boolean;
};

const most = { files: 50, characters: 2_000, looked: 5_000 };

/** Lists what a bundle brings along: nothing hidden, nothing installed, nothing that a link leads out to. */
export function listFiles(folder: string, descriptor: string): BundleFiles {
  const files: string[] = [];
  let characters = 0;
  let looked = 0;
  for (const path of filesIn(findRealPath(folder))) {
    if ((looked += 1) > most.looked) return { files, hasMore: true };
    if (path === undefined || path === descriptor || hasHiddenCharacters(path) || /[\n\r\t]/.test(path))
      continue;
    characters += path.length + 1;
    if (files.length === most.files || characters > most.characters) return { files, hasMore: true };
    files.push(path);
  }
  return { files, hasMore: false };
}

function* filesIn(root: string | undefined): Generator<string | undefined> {
  if (root === undefined) return;
  const isShown = (name: string): boolean => !name.startsWith('.') && name !== 'node_modules';
  const walk = walkFiles<true>({
    ...{ root, start: root, state: true, links: true },
    enter: (_state, name) => (isShown(name) ? true : undefined),
    isWanted: (_state, name) => isShown(name),
    onUnreadable: () => undefined, // what cannot be read need not be listed
  });
  for (const path of walk) yield path === undefined ? undefined : below(root, path).replaceAll(sep, '/');
}
