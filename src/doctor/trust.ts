import type { RecursiveSkilledAgent } from '../config/preset.ts';
import { familyOf, optional, toErrorData, type Skill } from '../core/index.ts';
import type { TrustBook } from '../policy/trust-book.ts';
import { needsTrust } from '../policy/trust.ts';
import { runsCode } from '../skills/digest/bundle-files.ts';
import { codeFilesOf, freshnessOf, type Freshness } from '../skills/digest/fresh-digest.ts';
import { definitionOf } from '../skills/registry/definition.ts';
import { SkillRecord } from '../skills/registry/record.ts';
import { count, type CheckResult, type Examined } from './report.ts';

/** Which skills must be trusted and are not, and whether the trust file can be believed. */
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
    const summary = 'the trust file cannot be believed, so nothing is trusted';
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
    return { id: 'trust', status: 'ok', summary: `nothing waits for it${known}`, details };
  return {
    id: 'trust',
    status: 'warn',
    summary: `${notTrusted(needed.length)}${known}`,
    details,
    hint: howToTrust(needed.map(({ skill }) => reachedName(agent, skill))),
  };
}

/** How many skills wait for trust, whether it is for code or for their text alone. */
export function notTrusted(skills: number): string {
  return `${count(skills, 'skill')} ${skills === 1 ? 'is' : 'are'} not trusted yet`;
}

/** How to trust them, with the command for the first. */
export function howToTrust([first = '<skill>', second]: readonly string[]): string {
  const command = `\`skilled trust grant ${first}\``;
  return second === undefined
    ? `Read its files, then run ${command}.`
    : `Read the files of each, then trust it, as in ${command}.`;
}

/** The name under which a skill is found: its own, or the one with its group or source where that leads to another skill. */
export function reachedName({ skills }: RecursiveSkilledAgent, skill: Skill): string {
  const qualified = skill.aliases.filter((alias) => /[/:]/.test(alias));
  const leadsHere = (name: string): boolean => skills.get(name) === skill;
  return [skill.name, ...qualified, ...skill.aliases].find(leadsHere) ?? skill.name;
}

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
  if (family?.permission?.runsCode === undefined) return false;
  try {
    return family.permission.runsCode(definitionOf(skill, family, agent.limits));
  } catch {
    return true; // rather once too often
  }
}

/** What a call of a skill does beyond calling others, in the sentence that a person is asked with; undefined where nothing is said. Never throws. */
export function skillEffect(agent: RecursiveSkilledAgent, skill: Skill): string | undefined {
  const family = familyOf(agent.families, skill);
  if (family?.permission?.describe === undefined || skill.status === 'invalid') return undefined;
  try {
    return family.permission.describe(definitionOf(skill, family, agent.limits)).effect;
  } catch {
    return undefined; // what cannot be read now cannot be told
  }
}
