import { hash } from 'node:crypto';
import type { SkillFile, SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import type { OfferedFile, SkillOffer } from './skill-offer.ts';

/** A file with its bytes. */
export interface ReadFile extends OfferedFile {
  readonly bytes: Uint8Array;
}

/** The files of a skill, or why it is refused; whoever runs the server must act then. */
export type Reading = readonly ReadFile[] | string;

/** The files of a skill, each read once and checked: it is listed, has its size and digest, and says of itself what the listing says. */
export async function readOffer(
  skills: SkillsClient,
  { entry, files }: SkillOffer & { readonly files: readonly OfferedFile[] },
  signal: AbortSignal,
): Promise<Reading> {
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
): Promise<Reading> {
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
