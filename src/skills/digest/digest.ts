import { lstatSync, realpathSync } from 'node:fs';
import { AgentError, reasonOf, type Skill } from '../../core/index.ts';
import { digestParts, type DigestCopy } from '../../files/index.ts';
import { SkillRecord } from '../registry/record.ts';

/**
 * Returns the digest that `compute` calculates for a skill, or undefined for a skill without a file. Throws
 * `skill.invalid` if its files cannot be read.
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

/**
 * Returns a function that checks whether a skill's bundle has changed since its digest was last requested.
 * The function works even if the files are not watched.
 */
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
      return true; // The bundle can no longer be read. The next request for its digest throws the error.
    }
  };
}

const known = new WeakMap<Skill, string>();

/**
 * Returns the digest of a skill's bundle. Computes the digest on first use and caches it for the skill
 * object.
 */
export function digestOf(skill: Skill, isLoose: boolean): string {
  return known.get(skill) ?? renewDigest(skill, isLoose);
}

/** Computes a digest again and caches the result. */
export function renewDigest(skill: Skill, isLoose: boolean): string {
  const now = digestNow(skill, isLoose);
  known.set(skill, now);
  return now;
}

/**
 * Computes the digest of a skill's bundle. If `copy` is given, passes it each file, folder and link in the
 * skill's folder.
 */
export function digestNow(
  { dir, file }: Pick<Skill, 'dir' | 'file'>,
  isLoose: boolean,
  copy?: DigestCopy,
): string {
  const isLink = lstatSync(file).isSymbolicLink();
  return digestParts({
    ...(isLoose ? {} : { folder: dir, copy }),
    // Follow the link, so that the digest covers the contents of the linked file.
    ...(isLoose || isLink ? { file: realpathSync.native(file, 'buffer') } : {}),
  });
}

/** Returns the cached digest of a skill, or undefined if there is none. */
export function knownDigest(skill: Skill): string | undefined {
  return known.get(skill);
}
