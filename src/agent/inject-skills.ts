import { dirname, resolve } from 'node:path';
import { AgentError, familyOf, isForeign, type Policy, type Skill } from '../core/index.ts';
import { isWithin, realPath } from '../files/index.ts';
import type { Injection, InjectionRequest } from '../run/kernel.ts';
import { folderOf, placeOf } from '../run/permissions/skill-files.ts';
import { buildLightSkillInjection, buildSkillInjection } from '../skills/catalog/injection.ts';
import type { SkillLimits } from '../skills/limits.ts';
import { bodyOf, definitionOf } from '../skills/registry/definition.ts';
import { SkillRecord } from '../skills/registry/record.ts';
import type { Registry } from '../skills/registry/registry.ts';
import type { Skills } from '../skills/skills.ts';
import { mustBeTrusted } from './policy.ts';

/** Where skills for a prompt are looked for. */
interface InjectionGround {
  readonly skills: Skills;
  readonly limits: SkillLimits;
  readonly workspace: string | undefined;
  readonly policy: Pick<Policy, 'trusts'>;
}

/** The text of skills for a prompt, in the order of their names; throws for one that cannot be used. */
export function injectSkills(
  registry: Registry,
  { skill, names, how, paths, session }: InjectionRequest,
  { skills, limits, workspace, policy }: InjectionGround,
): Injection {
  const places = paths.map((path) => ownPlace(skill, path, workspace));
  const own = places.length === 0 ? undefined : skills.below(places, skill.source);
  const found = [...new Set(names.map((name) => findSkill(registry, own, name)))];
  for (const one of found) mustBeTrusted(policy, skills, one);
  const injected = found.map((one) => {
    const { name, card, file } = one;
    const location = file === '' ? `skill:${name}` : file;
    const body = how === 'full' ? textOf(registry, one, { limits, session, workspace }) : '';
    return { name, description: card.description, whenToUse: card.whenToUse, location, body };
  });
  const text = how === 'full' ? buildSkillInjection(injected) : buildLightSkillInjection(injected);
  return { text, places: found.map(placeOf).filter((place) => place !== undefined) };
}

function findSkill({ lookup }: Registry, own: Registry | undefined, name: string): Skill {
  const near = own?.lookup.find(name);
  const skill = near?.status === 'ready' ? near : lookup.resolve(name);
  if (skill.status === 'ready') return skill;
  throw new AgentError('skill.unavailable', `"${name}" cannot be used on this machine.`, {
    hint: (skill.missing ?? []).map(({ hint }) => hint).join(' '),
  });
}

/** A place that a file names for skills of its own; a file from somebody else names only places near it. */
function ownPlace(skill: Skill, path: string, workspace: string | undefined): string {
  const place = resolve(dirname(skill.file), path);
  if (!isForeign(skill)) return place;
  const around = skill.root === '' ? [] : [dirname(skill.root)];
  const near = [...around, ...(workspace === undefined ? [] : [workspace])];
  if (near.some((folder) => isWithin(realPath(place), realPath(folder)))) return place;
  throw new AgentError('policy.denied', `"${path}" leads out of the project of "${skill.name}".`, {
    hint: `Name a folder near ${skill.file}.`,
  });
}

/** The rendered text of a skill; none of its commands runs. */
function textOf(
  { families }: Registry,
  skill: Skill,
  { limits, session, workspace }: { limits: SkillLimits; session: string; workspace: string | undefined },
): string {
  const family = familyOf(families, skill);
  if (family?.text?.render === undefined) return skill instanceof SkillRecord ? bodyOf(skill, limits) : '';
  const place = { session, skillDir: folderOf(skill), projectDir: workspace };
  return family.text.render(definitionOf(skill, family, limits), null, place).text;
}
