import type { Skill } from '../core/skill.ts';
import type { Registry } from '../skills/registry.ts';

const made = new WeakMap<Registry, Map<string, readonly Skill[]>>();

/** What a skill may call, or with none a person; made once for a registry, which may have thousands. */
export function callableBy(registry: Registry, caller: Skill | undefined): readonly Skill[] {
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
