import type { RecursiveSkilledAgent } from '../config/preset.ts';
import { familyOf } from '../core/family.ts';
import type { Skill } from '../core/skill.ts';
import type { TrustBook } from '../policy/trust-book.ts';
import { needsTrust } from '../policy/trust.ts';
import { runsCode } from '../skills/digest/bundle-files.ts';
import { codeFilesOf, freshnessOf, type Freshness } from '../skills/digest/fresh-digest.ts';
import { definitionOf } from '../skills/registry/definition.ts';
import { SkillRecord } from '../skills/registry/record.ts';

/** Whether a skill is trusted that must be. */
export interface SkillTrust {
  readonly trust: 'needed' | 'granted';
  /** Of its files as they are now; absent where nobody can vouch for them. */
  readonly digest?: string;
  /** Why there is no digest: the end of a sentence that begins with "Its folder". */
  readonly fault?: string;
}

/** How it stands with the trust of a skill; undefined for one that needs none. Never throws. */
export function trustOf(agent: RecursiveSkilledAgent, book: TrustBook, skill: Skill): SkillTrust | undefined {
  if (!(skill instanceof SkillRecord) || !mustBeTrusted(agent, skill)) return undefined;
  const { digest, fault } = vouchFor(skill);
  if (digest === undefined) return { trust: 'needed', fault };
  return { trust: book.isTrusted(digest) ? 'granted' : 'needed', digest };
}

/** The digest of a skill's files as they are now, or why nobody can vouch for them. Never throws. */
export function vouchFor(skill: Skill): Freshness {
  const isOnDisk = skill instanceof SkillRecord && skill.file !== '';
  return isOnDisk ? freshnessOf(skill) : { fault: 'is none: it was made in code' };
}

/** All that a skill consists of: its folder, or its file where that stands for itself. */
export function placeOf(skill: Skill): string {
  return skill instanceof SkillRecord && skill.loose ? skill.file : skill.dir;
}

/** The files of a skill that can run, from its folder. */
export function runningFiles(agent: RecursiveSkilledAgent, skill: Skill): readonly string[] {
  return skill instanceof SkillRecord ? codeFilesOf(skill, descriptorRuns(agent, skill)) : [];
}

function mustBeTrusted(agent: RecursiveSkilledAgent, skill: SkillRecord): boolean {
  const { source, status } = skill;
  const made = skill.made !== undefined;
  if (status === 'invalid' || !needsTrust({ source, made, runsCode: true })) return false;
  if (needsTrust({ source, made, runsCode: false })) return true;
  return runsCode(skill, descriptorRuns(agent, skill));
}

/** A descriptor that changed meanwhile or cannot be read is taken to have code. */
function descriptorRuns(agent: RecursiveSkilledAgent, skill: SkillRecord): boolean {
  const family = familyOf(agent.families, skill);
  if (family?.runsCode === undefined) return false;
  try {
    return family.runsCode(definitionOf(skill, family, agent.limits));
  } catch {
    return true; // rather once too often
  }
}
