import { lstatSync, realpathSync } from 'node:fs';
import type { Skill } from '../core/skill.ts';
import { digestParts, type DigestCopy } from '../files/digest.ts';

const known = new WeakMap<Skill, string>();

/** The digest of a skill's bundle, computed when first asked for and kept with the record. */
export function digestOf(skill: Skill, isLoose: boolean): string {
  return known.get(skill) ?? renewDigest(skill, isLoose);
}

/** The same computed now, and kept in the place of what was known before. */
export function renewDigest(skill: Skill, isLoose: boolean): string {
  const now = digestNow(skill, isLoose);
  known.set(skill, now);
  return now;
}

/** The digest of a skill's bundle, computed now; a copy gets the files of the folder as they are read. */
export function digestNow(
  { dir, file }: Pick<Skill, 'dir' | 'file'>,
  isLoose: boolean,
  copy?: DigestCopy,
): string {
  const isLink = lstatSync(file).isSymbolicLink();
  return digestParts({
    ...(isLoose ? {} : { folder: dir, copy }),
    // A descriptor is read through its link, so its bytes count wherever they lie.
    ...(isLoose || isLink ? { file: realpathSync.native(file, 'buffer') } : {}),
  });
}

/** The digest of a skill if someone already asked for it. */
export function knownDigest(skill: Skill): string | undefined {
  return known.get(skill);
}
