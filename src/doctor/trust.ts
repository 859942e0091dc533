import { ownFolderGrants } from '../config/trust.ts';
import type { RecursiveSkilledAgent } from '../config/preset.ts';
import { counted, familyOf, optional, toErrorData, type Skill } from '../core/index.ts';
import type { TrustBook } from '../policy/trust-book.ts';
import type { FolderGrants } from '../policy/folder-grants.ts';
import { needsTrust, trustedBy } from '../policy/trust.ts';
import { runsCode } from '../skills/digest/bundle-files.ts';
import { codeFilesOf, freshnessOf, type Freshness } from '../skills/digest/fresh-digest.ts';
import { definitionOf } from '../skills/registry/definition.ts';
import { SkillRecord } from '../skills/registry/record.ts';
import type { CheckResult, Examined } from './report.ts';

/** Reports which skills need to be trusted but are not, and whether the trust file is safe to use. */
export function checkTrust({ agent, book }: Examined): CheckResult {
  const states = agent.skills.list().flatMap((skill) => {
    const state = trustOf(agent, book, skill);
    return state === undefined ? [] : [{ ...state, skill }];
  });
  const needed = states.filter(({ trust }) => trust === 'needed');
  const details = needed.map(({ skill, fault }) => {
    const name = reachedName(agent, skill);
    return fault === undefined ? `${name}: ${skill.dir}` : `${name}: its folder ${fault}`;
  });
  try {
    book.list();
  } catch (thrown) {
    const { message, hint } = toErrorData(thrown);
    const summary = 'the trust file is not reliable, so nothing is trusted';
    return {
      id: 'trust',
      status: 'fail',
      summary,
      details: [message, ...details],
      ...optional('hint', hint),
    };
  }
  const granted = states.length - needed.length;
  const known = granted === 0 ? '' : `, ${granted} trusted`;
  if (needed.length === 0)
    return { id: 'trust', status: 'ok', summary: `no skill is waiting for trust${known}`, details };
  return {
    id: 'trust',
    status: 'warn',
    summary: `${notTrusted(needed.length)}${known}`,
    details,
    hint: howToTrust(needed.map(({ skill }) => reachedName(agent, skill))),
  };
}

/** Returns a clause with the number of skills that are not trusted yet. */
export function notTrusted(skills: number): string {
  return `${counted(skills, 'skill')} ${skills === 1 ? 'is' : 'are'} not trusted yet`;
}

/** Returns a hint on how to trust these skills, with the command for the first one. */
export function howToTrust([first = '<skill>', second]: readonly string[]): string {
  const command = `\`skilled trust grant ${first}\``;
  return second === undefined
    ? `Read the skill's files, then run ${command}.`
    : `Read the files of each skill, then trust it, for example with ${command}.`;
}

/**
 * Returns an unambiguous name for a skill: its plain name or, if that refers to another skill, its name with
 * a group or source.
 */
export function reachedName({ skills }: RecursiveSkilledAgent, skill: Skill): string {
  const qualified = skill.aliases.filter((alias) => /[/:]/.test(alias));
  const leadsHere = (name: string): boolean => skills.get(name) === skill;
  return [skill.name, ...qualified, ...skill.aliases].find(leadsHere) ?? skill.name;
}

/** The trust state of a skill that needs trust. */
export interface SkillTrust {
  readonly trust: 'needed' | 'granted';
  /** The digest of the skill's current files. Absent if the digest cannot be determined reliably. */
  readonly digest?: string;
  /** The reason why there is no digest, as the continuation of a sentence that starts with "Its folder". */
  readonly fault?: string;
}

/** Returns a skill's trust state, or undefined if the skill does not need to be trusted. Never throws. */
export function trustOf(
  agent: RecursiveSkilledAgent,
  book: Pick<TrustBook, 'isTrusted'>,
  skill: Skill,
  grants?: Pick<FolderGrants, 'covers'>,
): SkillTrust | undefined {
  if (!(skill instanceof SkillRecord) || !mustBeTrusted(agent, skill)) return undefined;
  const { digest, fault } = readFreshness(skill);
  if (digest === undefined) return { trust: 'needed', fault };
  const { source, dir, isInstalled } = skill;
  const { covers } = grants ?? ownFolderGrants();
  const subject = { source, dir, digest: () => digest, ...optional('isInstalled', isInstalled) };
  const isTrusted = trustedBy({ ...book, covers }, subject);
  return { trust: isTrusted ? 'granted' : 'needed', digest };
}

/**
 * Returns the digest of a skill's current files, or the reason why it cannot be determined reliably. Never
 * throws.
 */
export function readFreshness(skill: Skill): Freshness {
  const isOnDisk = skill instanceof SkillRecord && skill.file !== '';
  return isOnDisk ? freshnessOf(skill) : { fault: 'does not exist: the skill is defined in code' };
}

/** Returns the path of the entire skill: its folder, or its file if the skill consists of a single file. */
export function skillPath(skill: Skill): string {
  return skill instanceof SkillRecord && skill.loose ? skill.file : skill.dir;
}

/** Returns a skill's executable files, relative to its folder. */
export function runningFiles(agent: RecursiveSkilledAgent, skill: Skill): readonly string[] {
  return skill instanceof SkillRecord ? codeFilesOf(skill, agent.skills.hasCodeInDescriptor(skill)) : [];
}

function mustBeTrusted(agent: RecursiveSkilledAgent, skill: SkillRecord): boolean {
  const { source, status, isInstalled } = skill;
  const isDefinedInCode = skill.codeDefinition !== undefined;
  if (
    status === 'invalid' ||
    !needsTrust({ source, isDefinedInCode, runsCode: true, ...optional('isInstalled', isInstalled) })
  )
    return false;
  if (needsTrust({ source, isDefinedInCode, runsCode: false })) return true;
  return runsCode(skill, agent.skills.hasCodeInDescriptor(skill));
}

/**
 * Returns a description of what calling a skill does, for an approval question. The description does not
 * cover its calls to other skills. Returns undefined if the skill's family does not provide a description.
 * Never throws.
 */
export function skillEffect(agent: RecursiveSkilledAgent, skill: Skill): string | undefined {
  const family = familyOf(agent.families, skill);
  if (family?.permission?.describe === undefined || skill.status === 'invalid') return undefined;
  try {
    return family.permission.describe(definitionOf(skill, family, agent.limits)).effect;
  } catch {
    return undefined; // The skill cannot be read at the moment, so its effect is unknown.
  }
}
