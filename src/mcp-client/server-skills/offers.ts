import { hash } from 'node:crypto';
import type { Skill as SkillEntry, SkillFile, SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { canonicalJson, toPlain, type Issue } from '../../core/index.ts';
import { refused, tooMuch } from './issues.ts';
import { readSkillPaths } from './paths.ts';

/** A file with its bytes. */
export interface ReadFile extends OfferedFile {
  readonly bytes: Uint8Array;
}

/** The files of a skill, or why it is refused; whoever runs the server must act then. */
export type OfferedFiles = readonly ReadFile[] | string;

/** The files of a skill, each read once and checked: it is listed, has its size and digest, and says of itself what the listing says. */
export async function readOffer(
  skills: SkillsClient,
  { entry, files }: SkillOffer & { readonly files: readonly OfferedFile[] },
  signal: AbortSignal,
): Promise<OfferedFiles> {
  const read: ReadFile[] = [];
  for (const file of files) {
    const given = await checked(skills.read(entry, file.uri, { signal }));
    if (typeof given === 'string') return given;
    read.push({ ...file, bytes: given.bytes });
  }
  return read;
}

/** A skill whose files are not listed, as if its descriptor were the only one: what was read now is the version. */
export async function readUnlisted(
  skills: SkillsClient,
  { entry }: SkillOffer,
  signal: AbortSignal,
): Promise<OfferedFiles> {
  const given = await checked(skills.read(entry, undefined, { signal }));
  if (typeof given === 'string') return given;
  const { bytes } = given;
  const path = decodeURIComponent(new URL(entry.uri).pathname.split('/').at(-1) ?? '');
  return [{ uri: entry.uri, path, size: bytes.length, digest: `sha256:${hash('sha256', bytes)}`, bytes }];
}

/** A fault of the connection is thrown as it is; one of this file alone refuses the skill. */
async function checked(reading: Promise<SkillFile>): Promise<SkillFile | string> {
  const { ProtocolError, SdkError, SdkErrorCode } = await import('@modelcontextprotocol/client');
  const { SkillVerificationError } = await import('@modelcontextprotocol/client/ext/skills');
  try {
    return await reading;
  } catch (thrown) {
    if (thrown instanceof SkillVerificationError) {
      return `its ${meanings[thrown.reason]} (${thrown.message})`;
    }
    const isAnswer =
      thrown instanceof ProtocolError ||
      (thrown instanceof SdkError && thrown.code === SdkErrorCode.InvalidResult);
    if (isAnswer) return `a file cannot be read (${thrown.message})`;
    throw thrown;
  }
}

const meanings = {
  unlisted: 'files are not all listed',
  size: 'size is not the listed one',
  digest: 'digest is not the listed one',
  frontmatter: 'frontmatter is not the listed one',
} as const;

/** A file that a server lists for a skill. */
export interface OfferedFile {
  readonly uri: string;
  /** Below the folder of the skill; checked. */
  readonly path: string;
  readonly size: number;
  /** `sha256:…` of its bytes. */
  readonly digest: string;
}

/** A skill that a server offers and that may be fetched. */
export interface SkillOffer {
  readonly name: string;
  readonly entry: SkillEntry;
  /** Of all that the server says of it: another one is another version. */
  readonly manifest: string;
  /** None where the server does not list them. */
  readonly files: readonly OfferedFile[] | undefined;
}

const mostFiles = 512; // of one skill
const mostBytes = 16_777_216;
const mostSkills = 1000; // of one server
/** Bytes that are taken from one server. */
export const mostBytesInAll = 67_108_864;

/** What of a listing may be fetched, by names, sizes and paths alone, and why the rest may not. */
export function readOffers(
  server: string,
  entries: readonly SkillEntry[],
  isDescriptor: (name: string) => boolean,
): { readonly offers: readonly SkillOffer[]; readonly issues: readonly Issue[] } {
  const issues: Issue[] = [];
  const offers: SkillOffer[] = [];
  const counts = countNames(entries);
  if (entries.length > mostSkills) {
    issues.push(tooMuch(server, `${entries.length} skills, of which ${mostSkills} are looked at`));
  }
  let bytes = 0;
  for (const entry of entries.slice(0, mostSkills)) {
    const { name } = entry.frontmatter;
    const isTwin = (counts.get(name) ?? 0) > 1;
    const offer = isTwin ? 'the server offers several of this name' : offerOf(entry, isDescriptor);
    if (typeof offer === 'string') {
      issues.push(refused(server, `"${name}" (${entry.uri})`, offer));
      continue;
    }
    bytes += sizeOf(offer);
    if (bytes > mostBytesInAll) {
      issues.push(tooMuch(server, `more than ${mostBytesInAll / 1_048_576} MiB`));
      break;
    }
    offers.push(offer);
  }
  return { offers, issues };
}

function countNames(entries: readonly SkillEntry[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { frontmatter } of entries)
    counts.set(frontmatter.name, (counts.get(frontmatter.name) ?? 0) + 1);
  return counts;
}

function offerOf(entry: SkillEntry, isDescriptor: (name: string) => boolean): SkillOffer | string {
  const { uri, frontmatter, resources } = entry;
  const { name } = frontmatter;
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) return 'its name is none';
  const listed = resources === 'dynamic' ? undefined : resources;
  const { href } = new URL(uri);
  const paths = readSkillPaths(
    href.slice(0, href.lastIndexOf('/')),
    listed?.map((file) => file.uri) ?? [uri],
  );
  if (typeof paths === 'string') return paths;
  const other = [...paths].find(([file, path]) => new URL(file).href !== href && isDescriptor(path));
  if (other !== undefined) return `${other[1]} would be a skill of its own`;
  const manifest = `sha256:${hash('sha256', canonicalJson(toPlain({ uri, frontmatter, resources })))}`;
  const files = listed?.map((file) => ({ ...file, path: paths.get(file.uri) ?? '' }));
  const fault = files === undefined ? undefined : sizeFault(files);
  return fault ?? { name, entry, manifest, files };
}

/** Why a skill with these files is too large to be taken. */
export function sizeFault(files: readonly OfferedFile[]): string | undefined {
  if (files.length > mostFiles) return `it has ${files.length} files; at most ${mostFiles} are taken`;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return bytes > mostBytes ? `it has ${bytes} bytes; at most ${mostBytes} are taken` : undefined;
}

function sizeOf({ files = [] }: SkillOffer): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}
