import { settingsSources } from '../../../config/read/settings.ts';
import { ownTrustBook, projectState } from '../../../config/trust.ts';
import { AgentError, normaliseName } from '../../../core/index.ts';
import { oneLine, printJson, type Invocation } from '../../command-kit.ts';
import { namedPlace, realPath } from './grant.ts';

type Book = ReturnType<typeof ownTrustBook>;
type Entries = ReturnType<Book['list']>;
type Entry = Parameters<Parameters<Book['revoke']>[0]>[0];

/** Takes back trust, and the leave that goes with it. */
export async function revokeTrust({ flags, own, words, terminal }: Invocation): Promise<number> {
  const [word] = words;
  if (word !== undefined && own['all'] === true)
    throw new AgentError('usage.bad-input', '--all takes back everything, and no name is needed.', {
      hint: 'Leave out the name, or --all.',
    });
  if (word === undefined && own['all'] !== true)
    throw new AgentError('usage.bad-input', 'Say what is not to be trusted any more.', {
      hint: 'Write `skilled trust revoke <skill>`, or --all for everything; `skilled trust` shows what there is.',
    });
  const book = ownTrustBook();
  const isMeant = word === undefined ? (): boolean => true : meantBy(word, flags.cwd, book.list());
  const gone = await book.revoke(isMeant);
  const all = [...gone.bundles, ...gone.leave, ...gone.projects, ...gone.pins];
  if (word !== undefined && all.length === 0)
    throw new AgentError('usage.not-found', `Nothing is trusted that "${word}" means.`, {
      hint: '`skilled trust` shows what is.',
    });
  if (flags.json) printJson(terminal, { ok: true, revoked: gone });
  else for (const entry of all) terminal.out(`${oneLine(`not trusted any more: ${textOf(entry)}`)}\n`);
  if (all.length === 0 && !flags.json && !flags.quiet) terminal.err('Nothing was trusted.\n');
  return 0;
}

/** A place, the name of a skill or of a tool, or the beginning of a digest. */
function meantBy(word: string, cwd: string, known: Entries): (entry: Entry) => boolean {
  const place = namedPlace(word, cwd);
  if (place !== undefined) {
    const folder = projectState(settingsSources(place))?.folder;
    return (entry) => {
      if ('folder' in entry) return entry.folder === folder;
      return 'dir' in entry && realPath(entry.dir) === place;
    };
  }
  const name = normaliseName(word);
  const isNamed = (entry: Entry): boolean => nameOf(entry) === name || nameOf(entry) === word;
  const all: readonly Entry[] = [
    ...[...known.bundles, ...known.leave],
    ...[...known.projects, ...known.pins],
  ];
  if (all.some(isNamed)) return isNamed;
  const [, start] = /^(?:sha256:)?([\da-f]{4,})$/i.exec(word) ?? [];
  const digests = new Set(all.map(digestOf).filter((digest) => startsWith(digest, start)));
  if (digests.size > 1)
    throw new AgentError('usage.bad-input', `"${word}" is the beginning of several digests.`, {
      hint: `Write more of it: ${[...digests].map(shortDigest).join(', ')}`,
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
