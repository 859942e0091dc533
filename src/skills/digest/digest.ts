import { lstatSync, realpathSync } from 'node:fs';
import { AgentError, reasonOf, type Skill } from '../../core/index.ts';
import { digestParts, type DigestCopy } from '../../files/index.ts';
import { SkillRecord } from '../registry/record.ts';

/**
 * Computes a digest of a skill's files. Returns undefined if the skill has no file. Throws `skill.invalid` if
 * the files cannot be read.
 */
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

/** Finds skills whose bundles have changed since their digest was requested. Needs no file watch. */
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
      return true; // The bundle is no longer readable. The next request for its digest reports this.
    }
  };
}

const known = new WeakMap<Skill, string>();

/** Returns the digest of a skill's bundle. The digest is computed on first use and cached per record. */
export function digestOf(skill: Skill, isLoose: boolean): string {
  return known.get(skill) ?? renewDigest(skill, isLoose);
}

/** Computes the digest again and replaces the cached digest. */
export function renewDigest(skill: Skill, isLoose: boolean): string {
  const now = digestNow(skill, isLoose);
  known.set(skill, now);
  return now;
}

/** Computes the digest of a skill's bundle. Passes each file in the folder to `copy` after reading it. */
export function digestNow(
  { dir, file }: Pick<Skill, 'dir' | 'file'>,
  isLoose: boolean,
  copy?: DigestCopy,
): string {
  const isLink = lstatSync(file).isSymbolicLink();
  return digestParts({
    ...(isLoose ? {} : { folder: dir, copy }),
    // Read through its link, so that the digest includes its bytes even if the target is elsewhere.
    ...(isLoose || isLink ? { file: realpathSync.native(file, 'buffer') } : {}),
  });
}

/** Returns a skill's cached digest, or undefined if none is cached. */
export function knownDigest(skill: Skill): string | undefined {
  return known.get(skill);
}
