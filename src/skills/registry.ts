import { hash } from 'node:crypto';
import type { Family } from '../core/family.ts';
import { skeletonOf, whyDeceptive } from '../core/hidden.ts';
import type { Issue } from '../core/issue.ts';
import { normaliseName } from '../core/names.ts';
import { sources, type Missing } from '../core/skill.ts';
import type { Draft } from './draft.ts';
import { whatIsMissing, type World } from './eligibility.ts';
import { lookupOf, type Lookup } from './lookup.ts';
import { SkillRecord, type Origin, type Verdict } from './record.ts';

/** Something that wants to be registered, in order of precedence within its source. */
export interface Applicant {
  readonly origin: Origin;
  readonly draft: Draft;
}

/** An immutable view of all skills at one moment; frames that run keep theirs. */
export interface Registry {
  /** Every entry, whatever its status, by name, then path, in code units. */
  readonly skills: readonly SkillRecord[];
  readonly issues: readonly Issue[];
  readonly families: readonly Family[];
  readonly lookup: Lookup;
}

interface Entry extends Applicant {
  readonly name: string;
  readonly order: number;
  readonly missing: readonly Missing[];
  readonly deceptive: string | undefined;
}

/** Decides names, collisions and eligibility. */
export function buildRegistry(applicants: readonly Applicant[], families: readonly Family[], world: World, scanIssues: readonly Issue[]): Registry {
  const entries = applicants.map((applicant, order) => entryOf(applicant, order, world));
  const issues = [...scanIssues];
  const groups = Map.groupBy(entries.filter((entry) => entry.draft.usable), (entry) => entry.name);
  const skills = entries.filter((entry) => !entry.draft.usable).map((entry) => record(entry, { status: 'invalid' }));
  for (const [name, group] of groups) {
    if (group.length === 1 && group[0] !== undefined) skills.push(record(group[0], verdictOf(group[0])));
    else settle(name, group, world, issues, skills);
  }
  for (const entry of entries) warnOfNames(entry, groups, issues);
  skills.sort((a, b) => compare(a.name, b.name) || compare(a.file, b.file));
  for (const skill of skills) issues.push(...skill.issues);
  return { skills, issues, families, lookup: lookupOf(skills, families) };
}

function entryOf(applicant: Applicant, order: number, world: World): Entry {
  const { origin, draft } = applicant;
  const written = draft.name === '' ? origin.stem : draft.name;
  const name = normaliseName(draft.name) || normaliseName(origin.stem) || `skill-${hash('sha256', origin.file || written).slice(0, 8)}`;
  const subject = { name, source: origin.source, requires: draft.card.requires };
  return { ...applicant, name, order, missing: draft.usable ? whatIsMissing(subject, world) : [], deceptive: whyDeceptive(written) };
}

/** Several skills under one name: bundled names are reserved, then each family settles its own. */
function settle(name: string, group: readonly Entry[], world: World, issues: Issue[], skills: SkillRecord[]): void {
  const mayOverride = world.skills.allowOverrideBundled?.some((allowed) => normaliseName(allowed) === name) === true;
  const bundled = mayOverride ? undefined : group.find((entry) => entry.origin.source === 'bundled' && entry.missing.length === 0);
  const isFree = (entry: Entry): boolean =>
    bundled === undefined || entry.origin.made !== undefined || (entry.origin.source === 'bundled' && entry.missing.length === 0);
  const madeInCode = group.find((entry) => entry.origin.source === 'explicit' && entry.origin.made !== undefined);
  const families = Map.groupBy(group.filter(isFree), (entry) => entry.origin.family.id);
  for (const [, family] of families) {
    const [winner, ...losers] = family.toSorted(byPrecedence);
    if (winner === undefined) continue;
    const replaced = madeInCode !== undefined && winner.origin.source === 'bundled' ? madeInCode : undefined;
    if (replaced === undefined) skills.push(record(winner, verdictOf(winner)));
    else skills.push(record(winner, { status: 'shadowed', shadowedBy: labelOf(replaced) }));
    for (const loser of losers) skills.push(shadow(loser, replaced ?? winner, issues));
  }
  if (bundled === undefined) return;
  for (const entry of group.filter((other) => !isFree(other))) skills.push(shadow(entry, bundled, issues, 'The name belongs to a bundled skill.'));
}

/** Honest names before deceptive ones, usable copies before unusable ones, then source, root and path. */
function byPrecedence(a: Entry, b: Entry): number {
  return (
    Number(a.deceptive !== undefined) - Number(b.deceptive !== undefined) ||
    Number(a.missing.length > 0) - Number(b.missing.length > 0) ||
    sources.indexOf(a.origin.source) - sources.indexOf(b.origin.source) ||
    (a.origin.root === b.origin.root ? compare(a.origin.file, b.origin.file) : a.order - b.order)
  );
}

function verdictOf(entry: Entry): Verdict {
  return entry.missing.length === 0 ? ready : { status: 'unavailable', missing: entry.missing };
}

const ready: Verdict = { status: 'ready' };

function record(entry: Entry, verdict: Verdict): SkillRecord {
  return new SkillRecord(entry.origin, entry.draft, entry.name, verdict);
}

function shadow(loser: Entry, winner: Entry, issues: Issue[], reason?: string): SkillRecord {
  const by = labelOf(winner);
  issues.push({
    level: 'warning',
    code: 'registry.shadowed',
    message: `"${loser.name}" (${loser.origin.source}) is shadowed by ${by} (${winner.origin.source}).${reason === undefined ? '' : ` ${reason}`}`,
    ...(loser.origin.file === '' ? {} : { file: loser.origin.file }),
    hint: hintFor(loser, winner),
  });
  return record(loser, { status: 'shadowed', shadowedBy: by });
}

function hintFor(loser: Entry, winner: Entry): string {
  const { source, group } = loser.origin;
  if (source !== winner.origin.source) return `Reach it as "${source}:${loser.name}", or rename it.`;
  return group === winner.origin.group || group === '' ? 'Rename one of them.' : `Reach it as "${group}/${loser.name}", or rename it.`;
}

function warnOfNames(entry: Entry, groups: ReadonlyMap<string, readonly Entry[]>, issues: Issue[]): void {
  const skeleton = skeletonOf(entry.name);
  const twin = skeleton === entry.name ? undefined : groups.get(skeleton)?.[0];
  const why = entry.deceptive ?? (twin === undefined ? undefined : `it looks like "${twin.name}" (${labelOf(twin)})`);
  if (why === undefined) return;
  issues.push({
    level: 'warning',
    code: 'name.deceptive',
    message: `The name "${entry.name}" may deceive: ${why}. It never takes the place of another skill.`,
    ...(entry.origin.file === '' ? {} : { file: entry.origin.file }),
  });
}

function labelOf(entry: Entry): string {
  return entry.origin.file === '' ? `the skill "${entry.name}" made in code` : entry.origin.file;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
