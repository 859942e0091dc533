import { lstatSync, realpathSync } from 'node:fs';
import { AgentError, reasonOf, type Skill } from '../../core/index.ts';
import { digestParts, type DigestCopy } from '../../files/index.ts';
import { SkillRecord } from '../registry/record.ts';

/** A digest of a skill's files, by one way to compute it; undefined for one that has no file. Throws `skill.invalid`. */
export function skillDigest(
  skill: Skill,
  compute: (skill: Skill, isLoose: boolean) => string,
): string | undefined {
  if (!(skill instanceof SkillRecord) || skill.file === '') return undefined;
  try {
    return compute(skill, skill.loose);
  } catch (thrown) {
    const reason = reasonOf(thrown);
    throw new AgentError('skill.invalid', `The files of "${skill.name}" cannot be read: ${reason}.`, {
      cause: thrown,
    });
  }
}

/** Tells, without a watch, the skills whose bundle is no longer what it was when someone asked for its digest. */
export function changedSinceAsked(skills: readonly SkillRecord[]): (skill: SkillRecord) => boolean {
  const asked = new Map<string, string>();
  for (const skill of skills) {
    const digest = knownDigest(skill);
    if (digest !== undefined) asked.set(skill.file, digest);
  }
  return (skill) => {
    const before = asked.get(skill.file);
    if (before === undefined) return false;
    try {
      return digestOf(skill, skill.loose) !== before;
    } catch {
      return true; // it cannot be read any more, which whoever asks again is told
    }
  };
}

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
