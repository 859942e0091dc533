import { optional } from '../core/collections.ts';
import { schemaOf, type DefinedSkill } from '../core/define-skill.ts';
import { AgentError } from '../core/error.ts';
import type { JsonObject } from '../core/json.ts';
import type { Family } from '../core/family.ts';
import type { SkillCard, Source } from '../core/skill.ts';
import type { Applicant } from './collisions.ts';

/** A skill made in code as an applicant of the family that adopts it. */
export function applicantOf(made: DefinedSkill, families: readonly Family[], source: Source): Applicant {
  const family = families.find((candidate) => candidate.adopt?.(made) !== undefined);
  if (family === undefined) {
    throw new AgentError('skill.invalid', `No family takes the skill "${made.name}".`, {
      hint: 'Give it instructions or a run function.',
    });
  }
  return {
    origin: { family, source, root: '', dir: '', file: '', stem: '', group: '', loose: false, made },
    draft: { name: made.name, card: cardOf(made), issues: [], usable: true, sum: '' },
  };
}

/** The card of a skill made in code; its schemas are converted when someone looks at them. */
function cardOf(made: DefinedSkill): SkillCard {
  const card = {
    description: made.description,
    ...optional('whenToUse', made.whenToUse),
    ...optional('argumentNames', made.argumentNames),
    ...optional('argumentHint', made.argumentHint),
    ...optional('tags', made.tags),
    ...optional('allowedTools', made.allowedTools),
    ...optional('label', made.permission),
    ...optional('allowedSkills', made.allowedSkills),
    ...optional('metadata', made.metadata),
    ...optional('license', made.license),
    ...optional('compatibility', made.compatibility),
    ...optional('requires', made.requires),
    ...(made.sequential === true ? { sequential: true as const } : {}),
    ...(made.runsProcesses === true ? { runsProcesses: true as const } : {}),
    ...(made.disableModelInvocation === true ? { modelInvocable: false as const } : {}),
    ...(made.userInvocable === false ? { userInvocable: false as const } : {}),
  };
  for (const key of ['input', 'output'] as const) {
    const schema = made[key];
    if (schema === undefined) continue;
    let converted: JsonObject | undefined;
    Object.defineProperty(card, key, { enumerable: true, get: () => (converted ??= schemaOf(schema)) });
  }
  return Object.freeze(card); // not deeply: looking at a schema would make it
}
