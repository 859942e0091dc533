import {
  AgentError,
  familyOf,
  fitSchema,
  type CallOptions,
  type CallMode,
  type Family,
  type Json,
  type Skill,
} from '../../core/index.ts';
import type { Registry } from '../../skills/registry/registry.ts';
import type { Execution } from '../lifecycle/execution.ts';
import type { CallTarget } from './frame.ts';

/** Whether a skill's instructions can be loaded into a conversation. */
export function isLoadable({ families }: Registry, skill: Skill): boolean {
  return familyOf(families, skill)?.text?.load !== undefined;
}

/** Opens a skill for a call. Throws if the skill cannot be used. */
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
    throw new AgentError(
      'skill.invalid',
      `The skill family "${skill.family}" of "${skill.name}" is not available.`,
    );
  }
  return {
    skill,
    family,
    definition: kernel.definitionOf(skill, family),
    digest: kernel.digestOf(skill),
    isLeaf: skill.card.allowedSkills?.length === 0 && family.provides !== true,
  };
}

/**
 * Returns the validated input with defaults filled in. Throws `usage.bad-input` with all errors if the input
 * is invalid.
 */
export function accept(target: Pick<CallTarget, 'skill' | 'family' | 'definition'>, input: Json): Json {
  const { skill, family, definition } = target;
  if (family.input?.accept !== undefined) return family.input.accept(definition, input) as Json;
  const schema = skill.card.input;
  return schema === undefined ? input : fitSchema({ skill: skill.name }, schema, input);
}

/** A family's function that executes a skill. */
export type SkillExecution = Family['execute'];

/** Returns the function for a call mode. Throws `usage.bad-input` if the mode is not supported. */
export function workOf(
  { family, skill }: CallTarget,
  { mode, permissionOnly }: Pick<CallOptions, 'mode' | 'permissionOnly'>,
): SkillExecution {
  if (permissionOnly === true) return () => Promise.resolve({ status: 'done', text: 'Allowed.' });
  if (mode === undefined) return family.execute.bind(family);
  const { text, generation } = family;
  const modes = new Map<CallMode, SkillExecution | undefined>([
    ['load', text?.load?.bind(text)],
    ['hook', text?.hook?.bind(text)],
    ['build', generation?.build?.bind(generation)],
  ]);
  const work = modes.get(mode);
  if (work !== undefined) return work;
  const fault = mode === 'build' ? 'has nothing to generate' : `has no text to ${mode}`;
  throw new AgentError('usage.bad-input', `"${skill.name}" ${fault}.`, { hint: 'Call it instead.' });
}
