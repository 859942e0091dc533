import {
  allowsTool,
  isSkillRule,
  meansWhole,
  namesTool,
  optional,
  parseRule,
  parseRules,
  type Act,
  type Rule,
  type Skill,
} from '../../core/index.ts';
import { cardOf } from '../../skills/catalog/entries.ts';
import type { Registry } from '../../skills/registry/registry.ts';
import type { Frame, LoadedSkillTools } from '../calls/frame.ts';

const readings = { allow: allowsTool, forbid: namesTool };

/** How rules are read, which differs for those that allow and those that forbid. */
type Reading = keyof typeof readings;

/** The skills, of those that count, which lists of rules mean; each rule and each list is looked at once. */
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
    const word = isSkillRule(rule.tool) ? `(${rule.spec ?? '*'})` : rule.tool.toLowerCase();
    return remembered(byRule, `${reading} ${word}`, () =>
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

/** Whether a rule means skills by a pattern, or all of a kind, and not by their names. */
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

/** Whether lists of tools let a skill be used at all; what exactly may be done with it is seen when it is called. */
export function letsUse(
  registry: Registry,
  { allowed, disallowed = nothing }: ToolList,
  skill: Skill,
): boolean {
  const act = actOf(registry, skill);
  if (parseRules(disallowed).some((rule) => meansWhole(rule) && namesTool(rule, act))) return false;
  return allowed === undefined || parseRules(allowed).some((rule) => allowsTool(rule, act));
}

const acts = new WeakMap<Skill, Act>();

/** A call of a skill as far as lists can tell before there is one. */
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

/** What a skill lets a conversation use. */
export interface ToolList {
  readonly skill: Pick<Skill, 'name' | 'file'>;
  /** All that may be used; absent when it says nothing. */
  readonly allowed?: readonly string[] | undefined;
  readonly disallowed?: readonly string[] | undefined;
}

/**
 * The lists that bind a frame: those of its own skill and of every skill on the way down, and of the skills that their
 * conversations loaded. What is loaded only takes away, unless it says that its list is the whole list. With
 * `asWritten` those of the frame itself are left out.
 */
export function toolLists(
  frame: Frame | undefined,
  enforcesAll: boolean,
  asWritten = false,
): readonly ToolList[] {
  const path = frame?.path ?? [];
  return path
    .slice(0, asWritten ? -1 : undefined)
    .flatMap(({ skill, loaded }) => [
      ...(skill === undefined ? [] : [ownList(skill)]),
      ...[...loaded.values()].map((one) => loadedList(one, enforcesAll)),
    ])
    .filter(({ allowed, disallowed }) => (allowed ?? disallowed) !== undefined);
}

/** What a skill says of the tools of its own conversation. */
export function ownList(skill: Skill): ToolList {
  const { allowedTools, disallowedTools } = skill.card;
  return { skill, allowed: allowedTools, disallowed: disallowedTools };
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
 * The names by which lists speak of a skill: those that lead to it and to no other. What it calls itself and its folder
 * is its own affair; one whose name another skill has goes by its qualified names alone.
 */
export function knownAs(
  registry: Registry,
  skill: Skill,
): { readonly skill: string; readonly aliases: readonly string[] } {
  const aliases = skill.aliases.filter((name) => registry.lookup.find(name) === skill);
  return { skill: reachedAs(registry, skill), aliases };
}

/** The shortest name that leads to a skill and to no other. */
export function reachedAs({ lookup }: Registry, skill: Skill): string {
  if (lookup.find(skill.name) === skill) return skill.name;
  return skill.aliases.find((name) => lookup.find(name) === skill) ?? skill.name;
}

/** A skill under one of its names, in lower case. */
interface Entry {
  readonly name: string;
  readonly skill: Skill;
}

/** Finds the skills one of whose names starts with some letters, without regard to case; sorted once, when first asked. */
function namesFrom(
  skills: ReadonlySet<Skill>,
  namesOf: (skill: Skill) => readonly string[],
): (start: string) => readonly Skill[] {
  let sorted: readonly Entry[] | undefined;
  return (start) => {
    if (start === '') return [...skills];
    sorted ??= entriesOf(skills, namesOf);
    const wanted = start.toLowerCase();
    const found = new Set<Skill>();
    for (let at = firstFrom(sorted, wanted); sorted[at]?.name.startsWith(wanted) === true; at++) {
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

/** The place of the first entry that does not stand before a name. */
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
