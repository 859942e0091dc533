import { optional } from '../../core/card.ts';
import type { DefinedSkill } from '../../core/define-skill.ts';
import type { AgentSkillDefinition } from './definition.ts';

/** Takes over skills made in code that consist of instructions for a model. */
export function adopt(made: DefinedSkill): AgentSkillDefinition | undefined {
  const { instructions } = made;
  if (instructions === undefined) return undefined;
  return {
    body: () => instructions,
    ...optional('allowedTools', made.allowedTools),
    ...optional('maxTicks', made.maxTicks),
    ...optional('license', made.license),
    ...optional('compatibility', made.compatibility),
  };
}
