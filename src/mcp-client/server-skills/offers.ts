import { hash } from 'node:crypto';
import type { Skill as SkillEntry, SkillFile, SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { canonicalJson, toPlain, type Issue } from '../../core/index.ts';
import { refused, tooMuch } from './issues.ts';
import { readSkillPaths } from './paths.ts';

/** An offered file with its content. */
export interface ReadFile extends OfferedFile {
  readonly bytes: Uint8Array;
}

/** The files of a skill, or the reason why the skill is rejected. */
export type OfferedFiles = readonly ReadFile[] | string;

/**
 * Downloads and verifies the files of a skill. Each file must have the size and digest in the server's list,
 * and the frontmatter must match the list.
 */
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

/**
 * Downloads a skill whose files the server does not list. Only its descriptor is used, and its version is
 * derived from the descriptor's content.
 */
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

/** Waits for a download. Resolves to a reason if the file is rejected. Throws only connection errors. */
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
    if (isAnswer) return `a file could not be read (${thrown.message})`;
    throw thrown;
  }
}

const meanings = {
  unlisted: 'files are not all listed',
  size: 'size differs from the listing',
  digest: 'digest differs from the listing',
  frontmatter: 'frontmatter differs from the listing',
} as const;

/** A file that a server lists as part of a skill. */
export interface OfferedFile {
  readonly uri: string;
  /** The path relative to the skill's folder, which has been checked to be safe. */
  readonly path: string;
  readonly size: number;
  /** The digest of the file's bytes: `sha256:…`. */
  readonly digest: string;
}

/** A skill that a server offers with a valid description. */
export interface SkillOffer {
  readonly name: string;
  readonly entry: SkillEntry;
  /** The digest of the server's description of the skill, which identifies the skill's version. */
  readonly manifest: string;
  /** The files of the skill. Undefined if the server does not list them. */
  readonly files: readonly OfferedFile[] | undefined;
}

const maxFiles = 512; // The maximum number of files in a skill.
const maxBytes = 16_777_216;
const maxSkills = 1000; // The maximum number of skills from one server.
/** The maximum total size of all skills from one server, in bytes. */
export const maxBytesInAll = 67_108_864;

/**
 * Selects the skills to download, according to their names, sizes and paths. Reports the reasons why other
 * skills are rejected.
 */
export function readOffers(
  server: string,
  entries: readonly SkillEntry[],
  isDescriptor: (name: string) => boolean,
): { readonly offers: readonly SkillOffer[]; readonly issues: readonly Issue[] } {
  const issues: Issue[] = [];
  const offers: SkillOffer[] = [];
  const counts = countNames(entries);
  if (entries.length > maxSkills) {
    issues.push(tooMuch(server, `${entries.length} skills; only ${maxSkills} are used`));
  }
  let bytes = 0;
  for (const entry of entries.slice(0, maxSkills)) {
    const { name } = entry.frontmatter;
    const isTwin = (counts.get(name) ?? 0) > 1;
    const offer = isTwin ? 'the server offers several skills with this name' : offerOf(entry, isDescriptor);
    if (typeof offer === 'string') {
      issues.push(refused(server, `"${name}" (${entry.uri})`, offer));
      continue;
    }
    bytes += sizeOf(offer);
    if (bytes > maxBytesInAll) {
      issues.push(tooMuch(server, `more than ${maxBytesInAll / 1_048_576} MiB`));
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
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) return 'its name is not valid';
  const listed = resources === 'dynamic' ? undefined : resources;
  const { href } = new URL(uri);
  const paths = readSkillPaths(
    href.slice(0, href.lastIndexOf('/')),
    listed?.map((file) => file.uri) ?? [uri],
  );
  if (typeof paths === 'string') return paths;
  const other = [...paths].find(([file, path]) => new URL(file).href !== href && isDescriptor(path));
  if (other !== undefined) return `${other[1]} would be a separate skill`;
  const manifest = `sha256:${hash('sha256', canonicalJson(toPlain({ uri, frontmatter, resources })))}`;
  const files = listed?.map((file) => ({ ...file, path: paths.get(file.uri) ?? '' }));
  const fault = files === undefined ? undefined : sizeFault(files);
  return fault ?? { name, entry, manifest, files };
}

/** Returns the reason why a skill with these files is too large, or undefined if its size is acceptable. */
export function sizeFault(files: readonly OfferedFile[]): string | undefined {
  if (files.length > maxFiles) return `it has ${files.length} files; the limit is ${maxFiles}`;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return bytes > maxBytes ? `it has ${bytes} bytes; the limit is ${maxBytes}` : undefined;
}

function sizeOf({ files = [] }: SkillOffer): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}
