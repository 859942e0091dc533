import { dirname, resolve } from 'node:path';
import { AgentError, familyOf, isForeign, type Policy, type Skill } from '../core/index.ts';
import { isWithin, realPath } from '../files/index.ts';
import type { Injection, InjectionRequest } from '../run/kernel.ts';
import { folderOf, skillPath } from '../run/permissions/skill-files.ts';
import { buildLightSkillInjection, buildSkillInjection } from '../skills/catalog/injection.ts';
import type { SkillLimits } from '../skills/limits.ts';
import { bodyOf, definitionOf } from '../skills/registry/definition.ts';
import { SkillRecord } from '../skills/registry/record.ts';
import type { Registry } from '../skills/registry/registry.ts';
import type { Skills } from '../skills/skills.ts';
import { mustBeTrusted } from './policy.ts';

/** Everything needed to inject skills into a prompt. */
interface InjectionContext {
  readonly skills: Skills;
  readonly limits: SkillLimits;
  readonly workspace: string | undefined;
  readonly policy: Pick<Policy, 'trusts'>;
}

/**
 * Returns the text to insert into a prompt for the named skills, in the order of the names. Throws if a skill
 * cannot be used.
 */
export function injectSkills(
  registry: Registry,
  { skill, names, how, paths, session }: InjectionRequest,
  { skills, limits, workspace, policy }: InjectionContext,
): Injection {
  const ownPaths = paths.map((path) => resolveOwnPath(skill, path, workspace));
  const own = ownPaths.length === 0 ? undefined : skills.below(ownPaths, skill.source);
  const found = [...new Set(names.map((name) => findSkill(registry, own, name)))];
  for (const one of found) mustBeTrusted(policy, skills, one);
  const injected = found.map((one) => {
    const { name, card, file } = one;
    const location = file === '' ? `skill:${name}` : file;
    const body = how === 'full' ? textOf(registry, one, { limits, session, workspace }) : '';
    return { name, description: card.description, whenToUse: card.whenToUse, location, body };
  });
  const text = how === 'full' ? buildSkillInjection(injected) : buildLightSkillInjection(injected);
  return { text, places: found.map(skillPath).filter((path) => path !== undefined) };
}

function findSkill({ lookup }: Registry, own: Registry | undefined, name: string): Skill {
  const near = own?.lookup.find(name);
  const skill = near?.status === 'ready' ? near : lookup.resolve(name);
  if (skill.status === 'ready') return skill;
  throw new AgentError('skill.unavailable', `"${name}" cannot be used on this machine.`, {
    hint: (skill.missing ?? []).map(({ hint }) => hint).join(' '),
  });
}

/**
 * Resolves a path to search first when a skill adds other skills to its prompt. A skill from a project,
 * package or server may use only paths within the parent folder of its skill root or within the workspace.
 */
function resolveOwnPath(skill: Skill, path: string, workspace: string | undefined): string {
  const resolved = resolve(dirname(skill.file), path);
  if (!isForeign(skill)) return resolved;
  const around = skill.root === '' ? [] : [dirname(skill.root)];
  const near = [...around, ...(workspace === undefined ? [] : [workspace])];
  if (near.some((folder) => isWithin(realPath(resolved), realPath(folder)))) return resolved;
  throw new AgentError('policy.denied', `"${path}" is outside the project of "${skill.name}".`, {
    hint: `Use a folder near ${skill.file}.`,
  });
}

/** Renders a skill's text without running its commands. */
function textOf(
  { families }: Registry,
  skill: Skill,
  { limits, session, workspace }: { limits: SkillLimits; session: string; workspace: string | undefined },
): string {
  const family = familyOf(families, skill);
  if (family?.text?.render === undefined)
    return skill instanceof SkillRecord ? bodyOf(skill, limits).body : '';
  const context = { session, skillDir: folderOf(skill), projectDir: workspace };
  return family.text.render(definitionOf(skill, family, limits), null, context).text;
}
