import { AgentError } from '../core/index.ts';
import { createBundlePaths, shownName, type BundleFile } from '../files/index.ts';

/** A file that a source offers. Nothing about it is trusted. */
export interface OfferedEntry {
  /** The path in the source, with slashes. */
  readonly path: string;
  /** Links and submodules are listed so that they can be refused. */
  readonly kind: 'file' | 'program' | 'link' | 'submodule';
  /** The size in bytes. */
  readonly size: number;
}

/** The exact version of what was fetched. */
export interface ResolvedSource {
  /** The commit of a git repository. */
  readonly commit?: string;
  /** The full name of the tag or branch that named the commit. */
  readonly ref?: string;
  /** The version of a package. */
  readonly version?: string;
  /** The integrity of a package's archive, as the registry states it. */
  readonly integrity?: string;
  /** The digest of a downloaded archive or descriptor. */
  readonly digest?: string;
}

/** Everything that a source offers, before anything of it is written to disk. */
export interface SourceTree extends AsyncDisposable {
  readonly entries: readonly OfferedEntry[];
  readonly resolved: ResolvedSource;
  /** A name for a skill in the root of the source that does not declare one. */
  readonly label: string;
  /** Reads files, in the order of the paths. */
  read(paths: readonly string[]): Promise<readonly Uint8Array[]>;
}

/** Everything that sources need from the machine. */
export interface SourceContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The registry for packages. Absent if npm's own configuration decides. */
  readonly npmRegistry?: string;
  /** The content of the user's npm configuration file. */
  readonly npmConfig: string;
  /** Whether sources on other machines must not be used. */
  readonly isOffline: boolean;
  readonly signal?: AbortSignal;
}

/** The limits of one source. They bound memory and disk space, whatever a publisher sends. */
export const sourceLimits = {
  /** The maximum size of a download, in bytes. */
  download: 64 * 1024 * 1024,
  /** The maximum size of everything in an archive, in bytes. */
  unpacked: 256 * 1024 * 1024,
  /** The maximum number of entries in an archive. */
  archiveEntries: 9_999,
  /** The maximum number of files in a repository. */
  repositoryEntries: 200_000,
  /** The maximum number of files in a skill. */
  skillFiles: 2_000,
  /** The maximum size of a skill, in bytes. */
  skillBytes: 32 * 1024 * 1024,
} as const;

/** Creates a tree of files that are already in memory. */
export function treeOf(files: readonly BundleFile[], resolved: ResolvedSource, label: string): SourceTree {
  const byPath = new Map(files.map((file) => [file.path, file.bytes]));
  return {
    entries: files.map(({ path, bytes, isProgram = false }) => ({
      path,
      kind: isProgram ? 'program' : 'file',
      size: bytes.length,
    })),
    resolved,
    label,
    read: (paths) => Promise.resolve(paths.map((path) => byPath.get(path) ?? new Uint8Array())),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Reads one skill of a tree, after checking every path, kind and size. Throws `skill.refused`. */
export async function readBundle(tree: SourceTree, folder: string): Promise<readonly BundleFile[]> {
  const start = folder === '' ? '' : `${folder}/`;
  const entries = tree.entries.filter(({ path }) => path.startsWith(start));
  const shown = folder === '' ? 'The skill' : `The skill in ${shownName(folder)}`;
  if (entries.length > sourceLimits.skillFiles)
    throw refused(shown, `it has ${entries.length} files; the limit is ${sourceLimits.skillFiles}`);
  const size = entries.reduce((sum, entry) => sum + entry.size, 0);
  if (size > sourceLimits.skillBytes)
    throw refused(shown, `it has ${size} bytes; the limit is ${sourceLimits.skillBytes}`);
  const paths = createBundlePaths();
  for (const { path, kind } of entries) {
    const inside = path.slice(start.length);
    if (kind === 'link') throw refused(shown, `${shownName(inside)} is a link`);
    if (kind === 'submodule') throw refused(shown, `${shownName(inside)} is another repository`);
    const fault = paths.add(inside);
    if (fault !== undefined) throw refused(shown, fault);
  }
  const contents = await tree.read(entries.map(({ path }) => path));
  return entries.map(({ path, kind }, index) => {
    const bytes = contents[index] ?? new Uint8Array();
    if (isPointer(bytes))
      throw refused(shown, `${shownName(path)} is stored with Git LFS and is not in the repository`);
    return { path: path.slice(start.length), bytes, isProgram: kind === 'program' };
  });
}

const pointerStart = Buffer.from('version https://git-lfs.github.com/spec/');

function isPointer(bytes: Uint8Array): boolean {
  return bytes.length < 1024 && pointerStart.equals(bytes.subarray(0, pointerStart.length));
}

/** Returns the error for a source that contains what is never installed. `why` completes the sentence. */
export function refused(what: string, why: string): AgentError {
  return new AgentError('skill.refused', `${what} was refused: ${why}.`, {
    hint: 'Nothing was installed. Tell the publisher, or use another source.',
  });
}
