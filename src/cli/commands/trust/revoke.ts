import { settingsSources } from '../../../config/read/settings.ts';
import { ownFolderGrants, ownTrustBook, projectState } from '../../../config/trust.ts';
import { AgentError, normaliseName } from '../../../core/index.ts';
import { oneLine, printJson, type Invocation } from '../../command-kit.ts';
import { resolvePath, realPath } from './grant.ts';

type Book = ReturnType<typeof ownTrustBook>;
type Entries = ReturnType<Book['list']>;
type Entry = Parameters<Parameters<Book['revoke']>[0]>[0];

/** Revokes trust and the approvals that depend on it. */
export async function revokeTrust({ flags, own, args, terminal }: Invocation): Promise<number> {
  const [target] = args;
  if (target !== undefined && own['all'] === true)
    throw new AgentError('usage.bad-input', '--all revokes everything and needs no name.', {
      hint: 'Leave out the name or --all.',
    });
  if (target === undefined && own['all'] !== true)
    throw new AgentError('usage.bad-input', 'Missing skill or project to revoke.', {
      hint: 'Run `skilled trust revoke <skill>`, or --all for everything; `skilled trust` lists what is trusted.',
    });
  const book = ownTrustBook();
  const isMeant = target === undefined ? (): boolean => true : meantBy(target, flags.cwd, book.list());
  const gone = await book.revoke(isMeant);
  const path = target === undefined ? undefined : resolvePath(target, flags.cwd);
  const folders = await ownFolderGrants().revoke((folder) => target === undefined || folder === path);
  const all = [...gone.bundles, ...gone.leave, ...gone.projects, ...gone.pins];
  if (target !== undefined && all.length + folders.length === 0)
    throw new AgentError('usage.not-found', `Nothing trusted matches "${target}".`, {
      hint: '`skilled trust` lists what is trusted.',
    });
  if (flags.json) printJson(terminal, { ok: true, revoked: gone, folders });
  else {
    for (const folder of folders) terminal.out(`${oneLine(`no longer trusted: the skills in ${folder}`)}\n`);
    for (const entry of all) terminal.out(`${oneLine(`no longer trusted: ${textOf(entry)}`)}\n`);
  }
  if (all.length + folders.length === 0 && !flags.json && !flags.quiet)
    terminal.err('Nothing was trusted.\n');
  return 0;
}

/** Returns a function that matches trust entries by path, skill name, tool name, or the start of a digest. */
function meantBy(target: string, cwd: string, known: Entries): (entry: Entry) => boolean {
  const path = resolvePath(target, cwd);
  if (path !== undefined) {
    const folder = projectState(settingsSources(path))?.folder;
    return (entry) => {
      if ('folder' in entry) return entry.folder === folder;
      return 'dir' in entry && realPath(entry.dir) === path;
    };
  }
  const name = normaliseName(target);
  const isNamed = (entry: Entry): boolean => nameOf(entry) === name || nameOf(entry) === target;
  const all: readonly Entry[] = [
    ...[...known.bundles, ...known.leave],
    ...[...known.projects, ...known.pins],
  ];
  if (all.some(isNamed)) return isNamed;
  const [, start] = /^(?:sha256:)?([\da-f]{4,})$/i.exec(target) ?? [];
  const digests = new Set(all.map(digestOf).filter((digest) => startsWith(digest, start)));
  if (digests.size > 1)
    throw new AgentError('usage.bad-input', `"${target}" matches several digests.`, {
      hint: `Use more characters: ${[...digests].map(shortDigest).join(', ')}`,
    });
  return (entry) => digests.has(digestOf(entry));
}

function digestOf(entry: Entry): string {
  return 'hash' in entry ? entry.hash : entry.digest;
}

function startsWith(digest: string, start: string | undefined): boolean {
  return start !== undefined && digest.startsWith(`sha256:${start.toLowerCase()}`);
}

function nameOf(entry: Entry): string | undefined {
  if ('name' in entry) return entry.name;
  return 'skill' in entry ? entry.skill : undefined;
}

function textOf(entry: Entry): string {
  if ('folder' in entry) return `the settings of ${entry.folder}`;
  if ('hash' in entry) return `the tool ${entry.name} (${shortDigest(entry.hash)})`;
  const what = 'rule' in entry ? `${entry.skill} with ${entry.rule}` : entry.name;
  return `${what} (${shortDigest(entry.digest)}) ${entry.dir}`.trimEnd();
}

function shortDigest(digest: string): string {
  return digest.replace('sha256:', '').slice(0, 12);
}
