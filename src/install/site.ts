import { AgentError, isJsonObject, isSkillName, parseJson, type Json } from '../core/index.ts';
import { digestBytes, shownName, type BundleFile } from '../files/index.ts';
import { download } from './download.ts';
import { treeOfDownload } from './local.ts';
import type { SkillSource } from './source.ts';
import {
  refused,
  sourceLimits,
  treeOf,
  type OfferedEntry,
  type SourceContext,
  type SourceTree,
} from './tree.ts';

type SiteSource = Extract<SkillSource, { kind: 'site' | 'download' }>;

/** The path of the index of a site, relative to the address of the site. */
export const indexPath = '.well-known/agent-skills/index.json';

/**
 * Opens a site with an index of skills, or a single file on a web server. With `locked`, the file must have
 * that digest.
 */
export async function openSite(
  { kind, url }: SiteSource,
  { signal }: SourceContext,
  locked: string | undefined,
): Promise<SourceTree> {
  if (kind === 'site') return openIndex(url, signal);
  const file = await download(url, { signal });
  if (file === undefined) throw missing(url);
  if (locked !== undefined && digestBytes(file.bytes) !== locked)
    throw new AgentError('source.changed', `${url} has other content than when it was installed.`, {
      hint: 'Review the current content: `skilled update --dry-run`',
    });
  return treeOfDownload(file.bytes, new URL(url).pathname.split('/').at(-1) ?? '');
}

interface IndexEntry {
  readonly name: string;
  readonly url: string;
  readonly digest: string;
  readonly isArchive: boolean;
}

const largestIndex = 8_388_608;
const mostEntries = 2_000;
const atOnce = 6;

/**
 * Reads the index of a site, and downloads the skills that are read. Each file must have the digest in the
 * index. Names and digests of the index are known before anything else is downloaded.
 */
async function openIndex(site: string, signal: AbortSignal | undefined): Promise<SourceTree> {
  const address = new URL(indexPath, site.endsWith('/') ? site : `${site}/`).href;
  const index = await download(address, { signal, most: largestIndex });
  if (index === undefined) throw missing(address);
  const entries = readIndex(parseJson(index.bytes.toString('utf8')), index.url);
  const trees = new Map<string, readonly BundleFile[]>();
  for (let at = 0; at < entries.length; at += atOnce) {
    const some = entries.slice(at, at + atOnce);
    const files = await Promise.all(some.map((entry) => fetchEntry(entry, signal)));
    files.forEach((read, position) => trees.set(some[position]?.name ?? '', read));
    const size = [...trees.values()].flat().reduce((sum, { bytes }) => sum + bytes.length, 0);
    if (size > sourceLimits.unpacked) throw refused('The site', 'its skills are too large');
  }
  const files = [...trees].flatMap(([name, some]) =>
    some.map((file) => ({ ...file, path: `${name}/${file.path}` })),
  );
  return treeOf(files, {}, new URL(site).hostname);
}

async function fetchEntry(
  entry: IndexEntry,
  signal: AbortSignal | undefined,
): Promise<readonly BundleFile[]> {
  const file = await download(entry.url, { signal });
  if (file === undefined) throw missing(entry.url);
  if (digestBytes(file.bytes) !== entry.digest)
    throw refused(`The skill "${entry.name}"`, 'its digest differs from the index');
  const name = new URL(entry.url).pathname.split('/').at(-1) ?? '';
  await using tree = await treeOfDownload(file.bytes, entry.isArchive ? name.replace(/\.md$/i, '') : name);
  const paths = tree.entries.map(({ path }: OfferedEntry) => path);
  const contents = await tree.read(paths);
  return tree.entries.map(({ path, kind }, index) => ({
    path,
    bytes: contents[index] ?? new Uint8Array(),
    isProgram: kind === 'program',
  }));
}

function readIndex(json: Json | undefined, base: string): readonly IndexEntry[] {
  const skills =
    isJsonObject(json) && Array.isArray(json['skills']) ? (json['skills'] as readonly Json[]) : undefined;
  if (skills === undefined)
    throw refused(`The index at ${base}`, 'it is not a JSON object with a list "skills"');
  if (skills.length > mostEntries)
    throw refused(`The index at ${base}`, `it has more than ${mostEntries} skills`);
  const names = new Set<string>();
  return skills.map((skill) => {
    const { name, type, url, digest } = isJsonObject(skill) ? skill : {};
    if (typeof name !== 'string' || !isSkillName(name) || names.has(name))
      throw refused(
        `The index at ${base}`,
        `it has an invalid or repeated name ${shownName(typeof name === 'string' ? name : '')}`,
      );
    names.add(name);
    if (typeof digest !== 'string' || !/^sha256:[0-9a-f]{64}$/.test(digest))
      throw refused(`The index at ${base}`, `"${name}" has no sha256 digest`);
    if (typeof url !== 'string' || !URL.canParse(url, base))
      throw refused(`The index at ${base}`, `"${name}" has no valid address`);
    return { name, url: new URL(url, base).href, digest, isArchive: type === 'archive' };
  });
}

function missing(url: string): AgentError {
  return new AgentError('source.unreachable', `${url} does not exist.`, {
    hint: 'Check the address. A site with skills has the file /.well-known/agent-skills/index.json.',
  });
}
