import { realpathSync } from 'node:fs';
import { bundleOfBytes, type Bundle } from '../core/descriptor/bundle.ts';
import type { DefinedSkill } from '../core/define-skill.ts';
import { AgentError, reasonOf } from '../core/error.ts';
import type { Family } from '../core/family.ts';
import type { Skill } from '../core/skill.ts';
import { tryConfigured } from './configured.ts';
import { openDescriptor, sumOf } from './draft.ts';
import type { SkillLimits } from './limits.ts';
import { SkillRecord } from './record.ts';
import type { SkillSettings } from './skill-settings.ts';

/** What its family makes of a skill, read now; throws `skill.invalid` where it cannot be used. */
export function definitionOf(
  skill: Skill,
  family: Family,
  limits: SkillLimits,
  settings: SkillSettings = {},
): unknown {
  const definition = isDefined(skill.made)
    ? family.adopt?.(skill.made)
    : family.parse(bundleOf(skill, limits)).definition;
  if (definition !== undefined) {
    const { name, source, card } = skill;
    const keyed = { name, source, card, requires: card.requires };
    const { configured } = tryConfigured(keyed, family, settings);
    return configured === undefined ? definition : Object.assign({}, definition, configured.definition);
  }
  throw new AgentError('skill.invalid', `"${skill.name}" cannot be used as it is now.`, {
    hint: skill.file === '' ? 'Look at how it is made.' : `Validate ${skill.file} for its findings.`,
  });
}

function isDefined(made: object | undefined): made is DefinedSkill {
  return made !== undefined && (made as { kind?: unknown }).kind === 'skill';
}

/** A skill that code loaded keeps its bundle; that of any other is read again. */
function bundleOf(skill: Skill, limits: SkillLimits): Bundle {
  if (skill.made !== undefined) return skill.made as Bundle;
  const { dir, file } = skill;
  const loose = skill instanceof SkillRecord && skill.loose;
  try {
    const { bytes } = openDescriptor(realpathSync(file), limits);
    if (skill instanceof SkillRecord && sumOf(bytes) !== skill.sum) throw changed(skill);
    return bundleOfBytes(Buffer.from(bytes), { dir, file, stem: skill.name, loose }, limits);
  } catch (thrown) {
    if (thrown instanceof AgentError) throw thrown;
    throw new AgentError('skill.invalid', `${file} cannot be read: ${reasonOf(thrown)}.`, {
      hint: 'List the skills again; it may have been moved.',
      cause: thrown,
    });
  }
}

/** What was decided about the old text must not be taken for the new one. */
function changed({ name, file }: Skill): AgentError {
  return new AgentError('skill.changed', `${file} changed after "${name}" was registered.`, {
    hint: 'Reload the agent, or let it watch its folders.',
  });
}
