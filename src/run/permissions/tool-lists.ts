import {
  allowsTool,
  isSkillRule,
  matchesWildcard,
  meansWhole,
  namesTool,
  optional,
  parseRule,
  parseRules,
  type Act,
  type Rule,
  type RunAccess,
  type Skill,
  type ToolBound,
} from '../../core/index.ts';
import { cardOf, isInternal } from '../../skills/catalog/entries.ts';
import type { Registry } from '../../skills/registry/registry.ts';
import type { Frame, LoadedSkillTools } from '../calls/frame.ts';
import { boundLetsUse, deniedRules, listedRules, openToolRules, withCompanions } from './tool-bounds.ts';

const readings = { allow: allowsTool, forbid: namesTool };

/** The two ways to match rules: as rules that allow, or as rules that forbid. */
type Reading = keyof typeof readings;

/**
 * Returns a function that finds which skills of a set match a list of rules. The function evaluates each rule
 * and each list only once.
 */
export function meantAmong(
  registry: Registry,
  all: ReadonlySet<Skill>,
): (rules: readonly string[], reading: Reading) => ReadonlySet<Skill> {
  const tools = [...all].filter((skill) => cardOf(skill).label !== undefined);
  const startingWith = namesFrom(all, (skill) => {
    const { skill: name, aliases } = actOf(registry, skill);
    return [name, ...aliases];
  });
  const byRule = new Map<string, readonly Skill[]>();
  const byList = new Map<string, ReadonlySet<Skill>>();

  const candidates = ({ tool, spec }: Rule): readonly Skill[] => {
    if (!isSkillRule(tool)) return tools;
    if (spec === undefined) return [...all];
    if (spec.includes('*')) return startingWith(spec.slice(0, spec.indexOf('*')));
    const found = registry.lookup.find(spec);
    return found !== undefined && all.has(found) ? [found] : [];
  };
  const meantBy = (text: string, reading: Reading): readonly Skill[] => {
    const rule = parseRule(text);
    if (rule === undefined) return [];
    const key = isSkillRule(rule.tool) ? `(${rule.spec ?? '*'})` : rule.tool.toLowerCase();
    return remembered(byRule, `${reading} ${key}`, () =>
      candidates(rule).filter((skill) => readings[reading](rule, actOf(registry, skill))),
    );
  };
  return (rules, reading) =>
    remembered(
      byList,
      `${reading} ${JSON.stringify(rules)}`,
      () => new Set(rules.flatMap((rule) => meantBy(rule, reading))),
    );
}

/** Whether a rule selects skills by a pattern or by kind, rather than by name. */
export function isOpenRule(text: string): boolean {
  const { tool = '', spec } = parseRule(text) ?? {};
  if (isSkillRule(tool)) return spec === undefined || spec.includes('*');
  return tool.includes('*');
}

function remembered<Value>(known: Map<string, Value>, key: string, make: () => Value): Value {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}

const nothing: readonly string[] = [];

/** Whether the tool lists allow at least one use of a skill. The call itself is checked in detail later. */
export function letsUse(
  registry: Registry,
  { allowed, disallowed = nothing, bound }: ToolList,
  skill: Skill,
): boolean {
  const act = actOf(registry, skill);
  if (bound !== undefined && !boundLetsUse(registry, bound, act)) return false;
  if (disallowedRules(registry, disallowed).some((rule) => meansWhole(rule) && namesTool(rule, act)))
    return false;
  return allowed === undefined || allowedRules(registry, allowed).some((rule) => allowsTool(rule, act));
}

/** Parses a list of allowed tools, with its names resolved. */
export function allowedRules(registry: Registry, list: readonly string[]): readonly Rule[] {
  return parseRules(openToolRules(registry, list));
}

/** Parses a list of disallowed tools, with its names resolved. */
export function disallowedRules(registry: Registry, list: readonly string[]): readonly Rule[] {
  if (list.length === 0) return [];
  const rules = deniedRules(registry, list);
  const whole = rules.filter((text) => parseRule(text)?.spec === undefined);
  return parseRules([...rules, ...withCompanions(whole)]);
}

/** Returns the rules for calls that need no approval because a trusted skill's tool list includes them. */
export function preApprovedTools(registry: Registry, { card }: Skill): readonly string[] | undefined {
  return card.allowedTools && listedRules(registry, card.allowedTools);
}

const acts = new WeakMap<Skill, Act>();

/** Returns the properties of a skill that tool lists can check before there is a call. */
function actOf(registry: Registry, skill: Skill): Act {
  const act = acts.get(skill) ?? {
    ...knownAs(registry, skill),
    input: null,
    workspace: undefined,
    permission: optional('label', cardOf(skill).label),
  };
  acts.set(skill, act);
  return act;
}

/** The tools that a skill allows or disallows in its conversation. */
export interface ToolList {
  readonly skill: Pick<Skill, 'name' | 'file'>;
  /** All allowed tools. If absent, every tool is allowed. */
  readonly allowed?: readonly string[] | undefined;
  readonly disallowed?: readonly string[] | undefined;
  /**
   * The tools that the skill and its callees may use. Unlike `allowed`, this list restricts calls to skills
   * only if it names at least one skill.
   */
  readonly bound?: ToolBound | undefined;
  /** Set if the list is part of the run's own access. */
  readonly ofRun?: true;
}

/**
 * Returns the tool lists that restrict a frame: those of its skill, of every skill above it, and of the
 * skills that their conversations loaded. A loaded skill can only remove tools, unless its list is complete.
 * With `asWritten`, omits the lists that apply only to the model of the frame itself.
 */
export function toolLists(
  frame: Frame | undefined,
  enforcesAll: boolean,
  asWritten = false,
): readonly ToolList[] {
  const path = frame?.path ?? [];
  const ofRun = frame?.access === undefined ? [] : [accessList(frame.access)];
  const ofSkills = path
    .flatMap((one): readonly ToolList[] => {
      const own = one.skill === undefined ? [] : [ownList(one.skill)];
      if (asWritten && one === frame) return own.map(({ skill, bound }) => ({ skill, bound }));
      return [...own, ...[...one.loaded.values()].map((loaded) => loadedList(loaded, enforcesAll))];
    })
    .filter(({ allowed, disallowed, bound }) => (allowed ?? disallowed ?? bound) !== undefined);
  return [...ofRun, ...ofSkills];
}

const accessLists = new WeakMap<RunAccess, ToolList>();

/** Returns the tool list of a run. Cached, because parsed lists are cached by their identity. */
function accessList(access: RunAccess): ToolList {
  const known = accessLists.get(access);
  if (known !== undefined) return known;
  const { allow, deny } = access;
  const list: ToolList = {
    skill: { name: '', file: '' },
    ofRun: true,
    disallowed: deny,
    bound: allow && { rules: allow, lines: [], line: 0 },
  };
  accessLists.set(access, list);
  return list;
}

/**
 * Whether the access of a run includes a skill. The package's own tools are always included, because
 * permission rules decide about them.
 */
export function accessIncludes(registry: Registry, access: RunAccess | undefined, skill: Skill): boolean {
  const { skills } = access ?? {};
  if (skills === undefined || isInternal(skill)) return true;
  const { skill: name, aliases } = knownAs(registry, skill);
  const names = [name, ...aliases].map((one) => one.toLowerCase());
  return skills.some((pattern) => names.some((one) => matchesWildcard(pattern.toLowerCase(), one)));
}

/** Returns the tool list that a skill sets for its own conversation. */
export function ownList(skill: Skill): ToolList {
  const { allowedTools, disallowedTools, toolBound } = cardOf(skill);
  return { skill, allowed: allowedTools, disallowed: disallowedTools, bound: toolBound };
}

function loadedList({ skill, tools }: LoadedSkillTools, enforcesAll: boolean): ToolList {
  const isWhole = enforcesAll || tools.isWhole === true;
  return {
    skill,
    allowed: isWhole ? tools.allowed : undefined,
    disallowed: tools.disallowed,
  };
}

/**
 * Returns the names by which tool lists can refer to a skill. Includes a name only if the registry resolves
 * it to this skill. If another skill has the same name, only qualified names remain.
 */
export function knownAs(
  registry: Registry,
  skill: Skill,
): { readonly skill: string; readonly aliases: readonly string[] } {
  const aliases = skill.aliases.filter((name) => registry.lookup.find(name) === skill);
  return { skill: reachedAs(registry, skill), aliases };
}

/** Returns the shortest unique name of a skill. */
export function reachedAs({ lookup }: Registry, skill: Skill): string {
  if (lookup.find(skill.name) === skill) return skill.name;
  return skill.aliases.find((name) => lookup.find(name) === skill) ?? skill.name;
}

/** A skill and one of its names, in lower case. */
interface Entry {
  readonly name: string;
  readonly skill: Skill;
}

/**
 * Returns a function that finds skills by a case-insensitive prefix of any of their names. The names are
 * sorted on first use.
 */
function namesFrom(
  skills: ReadonlySet<Skill>,
  namesOf: (skill: Skill) => readonly string[],
): (start: string) => readonly Skill[] {
  let sorted: readonly Entry[] | undefined;
  return (start) => {
    if (start === '') return [...skills];
    sorted ??= entriesOf(skills, namesOf);
    const prefix = start.toLowerCase();
    const found = new Set<Skill>();
    for (let at = firstFrom(sorted, prefix); sorted[at]?.name.startsWith(prefix) === true; at++) {
      const entry = sorted[at];
      if (entry !== undefined) found.add(entry.skill);
    }
    return [...found];
  };
}

function entriesOf(
  skills: ReadonlySet<Skill>,
  namesOf: (skill: Skill) => readonly string[],
): readonly Entry[] {
  const entries = [...skills].flatMap((skill) =>
    namesOf(skill).map((name) => ({ name: name.toLowerCase(), skill })),
  );
  return entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** Returns the index of the first entry that sorts at or after `name`. */
function firstFrom(entries: readonly Entry[], name: string): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.name ?? '') < name) low = middle + 1;
    else high = middle;
  }
  return low;
}
