import {
  AgentError,
  familyOf,
  fitSchema,
  type CallOptions,
  type Entrance,
  type Family,
  type Json,
  type Skill,
} from '../../core/index.ts';
import type { Registry } from '../../skills/registry/registry.ts';
import type { Execution } from '../lifecycle/execution.ts';
import type { CallTarget } from './frame.ts';

/** Whether the text of a skill can be loaded into a conversation. */
export function isLoadable({ families }: Registry, skill: Skill): boolean {
  return familyOf(families, skill)?.text?.load !== undefined;
}

/** Opens a skill for a call; throws what keeps it from being used. */
export function openTarget(
  { registry, kernel }: Pick<Execution, 'registry' | 'kernel'>,
  skill: Skill,
): CallTarget {
  if (skill.status === 'unavailable') {
    const hint = (skill.missing ?? []).map((missing) => missing.hint).join(' ');
    throw new AgentError('skill.unavailable', `"${skill.name}" cannot be used on this machine.`, { hint });
  }
  const family = familyOf(registry.families, skill);
  if (family === undefined) {
    throw new AgentError('skill.invalid', `There is no family "${skill.family}" to run "${skill.name}".`);
  }
  return {
    skill,
    family,
    definition: kernel.definitionOf(skill, family),
    digest: kernel.digestOf(skill),
    isLeaf: skill.card.allowedSkills?.length === 0 && family.provides !== true,
  };
}

/** The input as the skill takes it, with defaults filled in; throws `usage.bad-input` that names every fault. */
export function accept(target: Pick<CallTarget, 'skill' | 'family' | 'definition'>, input: Json): Json {
  const { skill, family, definition } = target;
  if (family.input?.accept !== undefined) return family.input.accept(definition, input) as Json;
  const schema = skill.card.input;
  return schema === undefined ? input : fitSchema({ skill: skill.name }, schema, input);
}

/** What a family does when one of its skills is called. */
export type SkillExecution = Family['execute'];

/** The work behind a way into a skill; throws `usage.bad-input` where its family has no such way. */
export function workOf(
  { family, skill }: CallTarget,
  { through, leaveOnly }: Pick<CallOptions, 'through' | 'leaveOnly'>,
): SkillExecution {
  if (leaveOnly === true) return () => Promise.resolve({ status: 'done', text: 'It may be done.' });
  if (through === undefined) return family.execute.bind(family);
  const { text, generation } = family;
  const modes = new Map<Entrance, SkillExecution | undefined>([
    ['load', text?.load?.bind(text)],
    ['hook', text?.hook?.bind(text)],
    ['build', generation?.build?.bind(generation)],
  ]);
  const work = modes.get(through);
  if (work !== undefined) return work;
  const fault = through === 'build' ? 'is not made of anything' : `has no text to ${through}`;
  throw new AgentError('usage.bad-input', `"${skill.name}" ${fault}.`, { hint: 'Call it instead.' });
}
