import { lstatSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { AgentError, reasonOf } from '../core/index.ts';
import { digestBytes } from '../files/index.ts';
import { unpackArchive } from './archive.ts';
import { refused, sourceLimits, treeOf, type OfferedEntry, type SourceTree } from './tree.ts';

/** Opens a folder, an archive or a descriptor on this machine. Throws `usage.not-found` if it is missing. */
export async function openLocal(path: string): Promise<SourceTree> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined)
    throw new AgentError('usage.not-found', `${path} does not exist.`, {
      hint: 'Name a folder with skills, or a .zip or .tar.gz archive.',
    });
  if (stats.isDirectory()) return folderTree(path);
  if (!stats.isFile()) throw refused(path, 'it is not a regular file');
  if (stats.size > sourceLimits.download)
    throw refused(path, `it has ${stats.size} bytes; the limit is ${sourceLimits.download}`);
  return treeOfDownload(readFileSync(path), basename(path));
}

/** Converts a downloaded file to a tree: the files of an archive, or a single descriptor. */
export async function treeOfDownload(bytes: Uint8Array, name: string): Promise<SourceTree> {
  const label = name.replace(/\.(?:zip|tar\.gz|tgz|md)$/i, '');
  const digest = digestBytes(bytes);
  if (/\.md$/i.test(name)) return treeOf([{ path: name, bytes }], { digest }, '');
  return treeOf(withoutOuter(await unpackArchive(bytes)), { digest }, label);
}

/**
 * Drops the single folder around everything in an archive, such as `repo-main/`, unless the archive has
 * nothing else in its root.
 */
function withoutOuter<File extends { readonly path: string }>(files: readonly File[]): readonly File[] {
  const outer = `${files[0]?.path.split('/', 1)[0] ?? ''}/`;
  if (!files.every(({ path }) => path.startsWith(outer))) return files;
  return files.map((file) => ({ ...file, path: file.path.slice(outer.length) }));
}

// Folders that programs fill, and that are never part of a skill.
const passedOver = new Set(['.git', 'node_modules', '__pycache__']);

function folderTree(root: string): SourceTree {
  const entries: OfferedEntry[] = [];
  const folders = [''];
  for (const folder of folders) {
    for (const entry of list(join(root, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!passedOver.has(entry.name)) folders.push(path);
        continue;
      }
      if (entries.length + folders.length > sourceLimits.repositoryEntries)
        throw refused(root, `it has more than ${sourceLimits.repositoryEntries} files`);
      const stats = lstatSync(join(root, path));
      const isProgram = (stats.mode & 0o111) !== 0;
      const kind = !stats.isFile() ? 'link' : isProgram ? 'program' : 'file';
      entries.push({ path, kind, size: stats.size });
    }
  }
  return {
    entries,
    resolved: {},
    label: basename(root),
    read: (paths) => Promise.resolve(paths.map((path) => readFileSync(join(root, path)))),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function list(folder: string): ReturnType<typeof readEntries> {
  try {
    return readEntries(folder);
  } catch (thrown) {
    throw new AgentError('usage.not-found', `${folder} cannot be read: ${reasonOf(thrown)}.`);
  }
}

function readEntries(folder: string) {
  return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
}
