import { readFileSync } from 'node:fs';
import {
  didYouMean,
  getOrCreate,
  isSkillRule,
  matchesWildcard,
  optional,
  parseRule,
  skeletonOf,
  whyDeceptive,
  type Family,
  type Issue,
  type ToolBound,
} from '../../core/index.ts';
import { cardOf } from '../catalog/entries.ts';
import type { Draft } from '../discover/draft.ts';
import { whatIsMissing, type World } from '../eligibility/eligibility.ts';
import { namesSkill, type Keyed } from '../eligibility/skill-settings.ts';
import {
  compareText,
  labelOf,
  settle,
  verdictOf,
  type Applicant,
  type NameApplicant,
  type Ruling,
} from './collisions.ts';
import { tryConfigured } from './definition.ts';
import { canonicalName, lookupOf, type Lookup } from './lookup.ts';
import { SkillRecord, qualifiedNames } from './record.ts';

/** A snapshot of the registry, and one of the skills in it. */
export interface SnapshotWith {
  readonly registry: Registry;
  readonly skill: SkillRecord;
}

const maxSnapshots = 32; // Limited because each separate snapshot uses as much memory as the shared one.

/**
 * Returns a function that finds a snapshot containing a skill defined in code: the shared snapshot if the
 * skill is registered, otherwise a separate one. Recently used separate snapshots are cached until the shared
 * one changes.
 */
export function createOwnSnapshots(
  build: (name: string, applicant: Applicant) => Registry,
): (common: Registry, applicant: Applicant) => SnapshotWith {
  const known = new Map<object, SnapshotWith>();
  let knownFor: Registry | undefined;
  return (common, applicant) => {
    const { codeDefinition = applicant, stem } = applicant.origin;
    const isIt = (skill: SkillRecord): boolean => skill.codeDefinition === codeDefinition;
    const registered = common.skills.find(isIt);
    if (registered !== undefined) return { registry: common, skill: registered };
    if (knownFor !== common) known.clear();
    knownFor = common;
    return getOrCreate(known, codeDefinition, maxSnapshots, () =>
      snapshotOf(build(canonicalName(applicant.draft.name, stem), applicant), isIt),
    );
  };
}

function snapshotOf(registry: Registry, isIt: (skill: SkillRecord) => boolean): SnapshotWith {
  return { registry, skill: registry.skills.find(isIt) as SkillRecord };
}

/** An immutable snapshot of all skills. Running frames keep the snapshot they started with. */
export interface Registry {
  /** All entries, regardless of status, ordered by name, then path, in code units. */
  readonly skills: readonly SkillRecord[];
  readonly issues: readonly Issue[];
  readonly families: readonly Family[];
  readonly lookup: Lookup;
}

/** Builds a registry, resolving names, collisions and eligibility. */
export function buildRegistry(
  applicants: readonly Applicant[],
  families: readonly Family[],
  world: World,
  scanIssues: readonly Issue[],
): Registry {
  const entries = applicants.map((applicant, order) => entryOf(applicant, order, world));
  const groups = Map.groupBy(
    entries.filter((entry) => entry.draft.usable),
    (entry) => entry.name,
  );
  const issues = [...scanIssues];
  const skills = entries
    .filter((entry) => !entry.draft.usable)
    .map((entry) => record({ entry, verdict: invalid }));
  const ranks = new Map(families.map((family, index) => [family.id, index]));
  const rank = (entry: NameApplicant): number => ranks.get(entry.origin.family.id) ?? families.length;
  for (const [name, group] of groups) {
    const [only, ...others] = group;
    if (only === undefined) continue;
    if (others.length === 0) {
      skills.push(record({ entry: only, verdict: verdictOf(only) }));
      continue;
    }
    const mayOverride = namesSkill(world.skills.allowOverrideBundled ?? [], name);
    for (const ruling of settle(group, { mayOverride, rank })) {
      skills.push(record(ruling));
      const issue = shadowed(ruling);
      if (issue !== undefined) issues.push(issue);
    }
  }
  for (const entry of entries) {
    const issue = deceptiveName(entry, groups);
    if (issue !== undefined) issues.push(issue);
  }
  skills.sort((a, b) => compareText(a.name, b.name) || compareText(a.file, b.file));
  for (const skill of skills) issues.push(...skill.issues);
  const lookup = lookupOf(skills, families);
  let known: readonly Issue[] | undefined;
  return {
    skills: Object.freeze(skills),
    get issues() {
      // Computed on first use, because name lookups are slow.
      return (known ??= Object.freeze([
        ...issues,
        ...unknownNames(skills, lookup),
        ...unknownTools(skills, lookup),
      ]));
    },
    families,
    lookup,
  };
}

const invalid = { status: 'invalid' } as const;

function entryOf(applicant: Applicant, order: number, world: World): NameApplicant {
  const { origin, draft } = applicant;
  const { name, deceptive } = namedOf(applicant);
  const subject = { name, source: origin.source, requires: draft.card.requires };
  const missing = draft.usable ? whatIsMissing(subject, world) : [];
  return {
    origin,
    draft: withSettings(draft, subject, origin.family, world),
    name,
    order,
    missing,
    deceptive,
  };
}

/** Applies the settings, which override the file. */
function withSettings(draft: Draft, subject: Keyed, family: Family, { skills }: World): Draft {
  if (!draft.usable || skills.entries === undefined) return draft;
  const { configured, issues } = tryConfigured({ ...subject, card: draft.card }, family, skills);
  if (configured === undefined && issues.length === 0) return draft;
  return { ...draft, card: { ...draft.card, ...configured?.card }, issues: [...draft.issues, ...issues] };
}

type Named = Pick<NameApplicant, 'name' | 'deceptive'>;

const known = new WeakMap<Applicant, Named>();

/**
 * Returns an applicant's cached facts. They do not depend on other applicants, so adding a skill does not
 * recompute the facts of all others.
 */
function namedOf(applicant: Applicant): Named {
  const before = known.get(applicant);
  if (before !== undefined) return before;
  const { origin, draft } = applicant;
  const written = draft.name === '' ? origin.stem : draft.name;
  const deceptive = /^[\x20-\x7e]*$/.test(written) ? undefined : whyDeceptive(written);
  const named = { name: canonicalName(draft.name, origin.stem), deceptive };
  known.set(applicant, named);
  return named;
}

function record({ entry, verdict }: Ruling): SkillRecord {
  return new SkillRecord(entry.origin, entry.draft, entry.name, verdict);
}

function shadowed({ entry, winner, verdict, reason, intended }: Ruling): Issue | undefined {
  if (winner === undefined || intended === true) return undefined;
  const { origin, name } = entry;
  const [qualified] = qualifiedNames(origin, name, verdict);
  const why = reason === undefined ? '' : ` ${reason}`;
  return {
    level: 'warning',
    code: 'registry.shadowed',
    message: `"${name}" (${origin.source}) is shadowed by ${labelOf(winner)} (${winner.origin.source}).${why}`,
    ...(origin.file === '' ? {} : { file: origin.file }),
    hint: `Refer to the skill as "${qualified}", or rename it.`,
  };
}

function deceptiveName(
  entry: NameApplicant,
  groups: ReadonlyMap<string, readonly NameApplicant[]>,
): Issue | undefined {
  const skeleton = skeletonOf(entry.name);
  const twin = skeleton === entry.name ? undefined : groups.get(skeleton)?.[0];
  const why =
    entry.deceptive ?? (twin === undefined ? undefined : `it looks like "${twin.name}" (${labelOf(twin)})`);
  if (why === undefined) return undefined;
  return {
    level: 'warning',
    code: 'name.deceptive',
    message: `The name "${entry.name}" is deceptive: ${why}. This skill never replaces another skill.`,
    ...(entry.origin.file === '' ? {} : { file: entry.origin.file }),
  };
}

/** Reports entries in tool bounds that match neither a tool nor a skill and therefore allow nothing. */
function unknownTools(skills: readonly SkillRecord[], lookup: Lookup): readonly Issue[] {
  const labels = [...new Set(skills.map((skill) => cardOf(skill).label?.toLowerCase()))].filter(
    (label) => label !== undefined,
  );
  const isKnown = (text: string): boolean => {
    const { tool = '', spec } = parseRule(text) ?? {};
    const pattern = tool.toLowerCase();
    if (isSkillRule(tool)) return spec === undefined || spec.includes('*') || lookup.find(spec) !== undefined;
    // A server's tools are not known until the server is opened.
    if (pattern.startsWith('mcp__')) return true;
    return labels.some((label) => matchesWildcard(pattern, label)) || lookup.find(tool) !== undefined;
  };
  return skills.flatMap((skill) => {
    const { rules, lines, line } =
      (skill.status === 'ready' ? cardOf(skill).toolBound : undefined) ?? noBound;
    return rules.flatMap((rule, index): readonly Issue[] =>
      isKnown(rule)
        ? []
        : [
            {
              level: 'warning',
              code: 'list.unknown-tool',
              message: `"${skill.name}" allows "${rule}" in its tree, but there is no such tool or skill.`,
              file: skill.file,
              line: lines[index] ?? line,
              hint: didYouMean(rule.toLowerCase(), labels) ?? hintFor(lookup.near(rule), 'tools'),
            },
          ],
    );
  });
}

const noBound: ToolBound = { rules: [], lines: [], line: 1 };

/**
 * Reports names in allowlists of skills that match no skill, because the list then allows fewer skills than
 * it appears to.
 */
function unknownNames(skills: readonly SkillRecord[], lookup: Lookup): readonly Issue[] {
  return skills.flatMap((skill) => {
    const { allowedSkills = [] } = skill.status === 'ready' ? cardOf(skill) : {};
    const unknown = allowedSkills.filter((name) => lookup.find(name) === undefined);
    const lines = unknown.length === 0 ? [] : linesOf(skill.file);
    return unknown.map((name): Issue => ({
      level: 'warning',
      code: 'list.unknown-skill',
      message: `"${skill.name}" may call "${name}", but there is no such skill.`,
      ...(skill.file === '' ? {} : { file: skill.file, ...optional('line', lineNaming(lines, name)) }),
      hint: hintFor(lookup.near(name)),
    }));
  });
}

/** Returns a file's lines. Empty if it cannot be read, because an issue is useful even without a line number. */
function linesOf(file: string): readonly string[] {
  try {
    return file === '' ? [] : readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}

/** Returns the one-based number of the line that lists a name, or undefined if there is none. */
function lineNaming(lines: readonly string[], name: string): number | undefined {
  const list = lines.findIndex((line) => /^(?:#+\s*)?allowed\W/i.test(line.trim()));
  const isNamed = (line: string): boolean => line.split(/[^\p{L}\p{N}:/._-]+/u).includes(name);
  const at = [...lines.keys()].filter((index) => isNamed(lines[index] ?? ''));
  const first = at.find((index) => index >= list) ?? at[0];
  return first === undefined ? undefined : first + 1;
}

function hintFor([near]: readonly string[], list: 'skills' | 'tools' = 'skills'): string {
  return near === undefined
    ? `Correct the name in its list of allowed ${list}, or add the skill.`
    : `Did you mean "${near}"?`;
}
