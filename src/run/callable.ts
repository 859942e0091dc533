import { allowsTool, meansWhole, namesTool } from '../core/match-rules.ts';
import { optional } from '../core/optional.ts';
import { parseRules } from '../core/rule.ts';
import type { Skill } from '../core/skill.ts';
import { appliesTo } from '../skills/applies-to.ts';
import { cardOf } from '../skills/catalog/offered.ts';
import type { Registry } from '../skills/registry.ts';
import type { Frame } from './frame.ts';
import { knownAs } from './known-as.ts';
import { toolLists, type ToolList } from './tool-lists.ts';

/** What a frame may call, or with none a person: what its skill may, and every skill on the way down to it. */
export function callableIn(
  registry: Registry,
  frame: Frame | undefined,
  { enforcesTools = false, workspace }: { enforcesTools?: boolean; workspace?: string | undefined } = {},
): readonly Skill[] {
  const own = callableBy(registry, frame?.skill).filter((skill) => isCalledFor(skill, frame, workspace));
  const lists = toolLists(frame, enforcesTools).filter(
    ({ allowed, disallowed }) => (allowed ?? disallowed) !== undefined,
  );
  return lists.length === 0
    ? own
    : own.filter((skill) => lists.every((list) => letsUse(registry, list, skill)));
}

/** A skill for certain files is offered once such a file was touched on the way down; to a person always. */
function isCalledFor(skill: Skill, frame: Frame | undefined, workspace: string | undefined): boolean {
  const { paths } = cardOf(skill);
  if (paths === undefined || frame === undefined || frame.skill?.card.allowedSkills !== undefined)
    return true;
  return frame.path.some(({ touched }) => appliesTo(paths, [...touched], workspace ?? '/'));
}

/** Whether lists of tools let a skill be used at all; what exactly may be done with it is seen when it is called. */
function letsUse(registry: Registry, { allowed, disallowed = [] }: ToolList, skill: Skill): boolean {
  const act = {
    ...knownAs(registry, skill),
    ...{ input: null, workspace: undefined },
    permission: optional('label', skill.card.label),
  };
  if (parseRules(disallowed).some((rule) => meansWhole(rule) && namesTool(rule, act))) return false;
  return allowed === undefined || parseRules(allowed).some((rule) => allowsTool(rule, act));
}

const made = new WeakMap<Registry, Map<string, readonly Skill[]>>();

/** What a skill may call by its own lists; made once for a registry, which may have thousands. */
function callableBy(registry: Registry, caller: Skill | undefined): readonly Skill[] {
  const byCaller = made.get(registry) ?? new Map<string, readonly Skill[]>();
  made.set(registry, byCaller);
  const key = JSON.stringify([caller?.name, caller?.family]);
  const skills = byCaller.get(key) ?? make(registry, caller);
  byCaller.set(key, skills);
  return skills;
}

function make(registry: Registry, caller: Skill | undefined): readonly Skill[] {
  const list = caller?.card.allowedSkills;
  return list === undefined ? everyOther(registry, caller) : named(registry, list);
}

/** An explicit list is the whole list. */
function named({ lookup }: Registry, list: readonly string[]): readonly Skill[] {
  const found = list.map((name) => lookup.find(name));
  return [...new Set(found)].filter((skill) => skill !== undefined);
}

/** Without a list, every skill that a model may choose but the skill itself. */
function everyOther({ skills }: Registry, caller: Skill | undefined): readonly Skill[] {
  return skills.filter(
    ({ status, name, card }) =>
      status === 'ready' && name !== caller?.name && card.modelInvocable !== false && card.listed !== false,
  );
}
