import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentError } from '../core/index.ts';
import { shownName } from '../files/index.ts';
import { runGit, type GitRun } from './run-git.ts';
import type { SkillSource } from './source.ts';
import { refused, sourceLimits, type OfferedEntry, type SourceContext, type SourceTree } from './tree.ts';

type GitSource = Extract<SkillSource, { kind: 'git' }>;

/**
 * Fetches one commit of a repository, and lists its files. Nothing is checked out: files are read as blobs, so
 * no hook, filter or submodule takes effect. With `locked`, fetches exactly that commit.
 */
export async function openGit(
  source: GitSource,
  context: SourceContext,
  locked: string | undefined,
): Promise<SourceTree> {
  const folder = mkdtempSync(join(tmpdir(), 'skilled-git-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  try {
    const git = (args: readonly string[], more: Partial<GitRun> = {}): Promise<Buffer> =>
      runGit({ args, folder, context, url: source.url, ...more });
    await git(['init', '--quiet', '--bare', '--template=', '.']);
    const { commit, ref } = await resolve(source, git, locked);
    await fetchCommit(source, git, commit, folder, locked !== undefined);
    const entries = readTree(await git(['ls-tree', '-r', '-z', '--long', '--full-tree', commit]));
    const label =
      source.url
        .replace(/\.git$/, '')
        .split(/[/:]/)
        .at(-1) ?? '';
    const objects = new Map(entries.map((entry) => [entry.path, entry.object]));
    return {
      entries: entries.map(({ path, kind, size }) => ({ path, kind, size })),
      resolved: { commit, ...(ref === undefined ? {} : { ref }) },
      label,
      read: async (paths) => {
        const blobs = paths.map((path) => objects.get(path) ?? '');
        return blobs.length === 0 ? [] : readBlobs(git, blobs);
      },
      [Symbol.asyncDispose]: async () => remove(),
    };
  } catch (thrown) {
    remove();
    throw thrown;
  }
}

type Git = (args: readonly string[], more?: Partial<GitRun>) => Promise<Buffer>;

const commitPattern = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** Finds the commit that a tag, a branch or the default branch names. */
async function resolve(
  { url, ref }: GitSource,
  git: Git,
  locked: string | undefined,
): Promise<{ readonly commit: string; readonly ref?: string }> {
  if (locked !== undefined && commitPattern.test(locked)) return { commit: locked };
  if (ref !== undefined && commitPattern.test(ref)) return { commit: ref };
  const listed = await git(['ls-remote', '--', url, ...(ref === undefined ? ['HEAD'] : [ref, `${ref}^{}`])]);
  const refs = new Map(
    listed
      .toString('utf8')
      .split('\n')
      .flatMap((line) => {
        const [commit = '', name = ''] = line.split('\t');
        return commitPattern.test(commit) ? [[name, commit] as const] : [];
      }),
  );
  if (ref === undefined) {
    const commit = refs.get('HEAD');
    if (commit !== undefined) return { commit };
    throw missingRef(url, 'a default branch');
  }
  for (const name of [`refs/tags/${ref}`, `refs/heads/${ref}`, ref]) {
    const commit = refs.get(`${name}^{}`) ?? refs.get(name);
    if (commit !== undefined) return { commit, ref: name };
  }
  throw missingRef(url, shownName(ref));
}

function missingRef(url: string, what: string): AgentError {
  return new AgentError('source.unreachable', `${url} does not have ${what}.`, {
    hint: 'Check the name of the tag, branch or commit after @ or #.',
  });
}

const pollMs = 200;

/** Fetches one commit without its history. Stops as soon as the repository exceeds the size limit. */
async function fetchCommit(
  { url }: GitSource,
  git: Git,
  commit: string,
  folder: string,
  isLocked: boolean,
): Promise<void> {
  const stop = new AbortController();
  const check = (): void => {
    if (sizeOf(folder) > sourceLimits.unpacked) stop.abort(tooLarge());
  };
  const watch = setInterval(check, pollMs);
  try {
    await git(['fetch', '--quiet', '--depth=1', '--no-tags', '--no-write-fetch-head', '--', url, commit], {
      signal: stop.signal,
    });
    check();
    stop.signal.throwIfAborted();
  } catch (thrown) {
    if (stop.signal.aborted) throw tooLarge();
    const isGone = isLocked && thrown instanceof AgentError && thrown.details !== undefined;
    if (!isGone) throw thrown;
    throw new AgentError(
      'source.changed',
      `${url} no longer has the commit ${commit.slice(0, 12)} of the lock.`,
      {
        hint: 'Its history was rewritten, or it was moved. Review the current version: `skilled update --dry-run`',
        cause: thrown,
      },
    );
  } finally {
    clearInterval(watch);
  }
}

function tooLarge(): AgentError {
  return refused('The repository', `it has more than ${sourceLimits.unpacked / 1_048_576} MiB`);
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => {
      const stats = statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false });
      return sum + (stats?.size ?? 0);
    }, 0);
}

const kinds: Readonly<Record<string, OfferedEntry['kind']>> = {
  '100644': 'file',
  '100664': 'file',
  '100755': 'program',
  '120000': 'link',
  '160000': 'submodule',
};

interface TreeEntry extends OfferedEntry {
  readonly object: string;
}

function readTree(listing: Buffer): readonly TreeEntry[] {
  const lines = listing
    .toString('utf8')
    .split('\0')
    .filter((line) => line !== '');
  if (lines.length > sourceLimits.repositoryEntries)
    throw refused('The repository', `it has more than ${sourceLimits.repositoryEntries} files`);
  return lines.map((line) => {
    const [, mode = '', object = '', size = '', path = ''] =
      /^(\d+) \w+ ([0-9a-f]+) +(\d+|-)\t([^]*)$/.exec(line) ?? [];
    return { path, kind: kinds[mode] ?? 'link', size: size === '-' ? 0 : Number(size), object };
  });
}

/** Reads blobs with one process. Their order is that of the objects. */
async function readBlobs(git: Git, objects: readonly string[]): Promise<readonly Uint8Array[]> {
  const output = await git(['cat-file', '--batch'], { input: `${objects.join('\n')}\n` });
  const blobs: Uint8Array[] = [];
  let at = 0;
  for (const object of objects) {
    const end = output.indexOf(0x0a, at);
    const [name, kind, size] = output.toString('utf8', at, end).split(' ');
    if (name !== object || kind !== 'blob' || size === undefined)
      throw refused('The repository', `the object ${object.slice(0, 12)} is not a file`);
    blobs.push(output.subarray(end + 1, end + 1 + Number(size)));
    at = end + 1 + Number(size) + 1;
  }
  return blobs;
}
