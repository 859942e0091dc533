import { realpathSync } from 'node:fs';
import {
  AgentError,
  bundleOfBytes,
  optional,
  reasonOf,
  schemaOf,
  type Bundle,
  type Configured,
  type DefinedSkill,
  type Family,
  type Issue,
  type JsonObject,
  type Made,
  type Skill,
  type SkillCard,
  type Source,
} from '../../core/index.ts';
import { openDescriptor, sumOf } from '../discover/draft.ts';
import { entryOf, type Keyed, type SkillSettings } from '../eligibility/skill-settings.ts';
import type { SkillLimits } from '../limits.ts';
import type { Applicant } from './collisions.ts';
import { SkillRecord } from './record.ts';

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

/** What was made of the files of a skill, as its family sees it now; undefined where nothing ever is, or its files cannot be used. Looks only, never throws. */
export function madeOf(
  skill: Skill,
  family: Family,
  limits: SkillLimits,
  settings?: SkillSettings,
): Made | undefined {
  if (family.generation?.inspect === undefined || skill.dir === '' || skill.status === 'invalid')
    return undefined;
  try {
    return family.generation.inspect(definitionOf(skill, family, limits, settings), skill.dir);
  } catch {
    return undefined; // its descriptor changed or cannot be read any more, which whoever calls it learns
  }
}

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

/** A skill that settings may change. */
interface Configurable extends Keyed {
  /** As its file says it. */
  readonly card: SkillCard;
}

/** What settings change about a skill; undefined when they say nothing. Throws `usage.bad-settings`. */
function configuredBy(
  skill: Configurable,
  family: Family,
  settings: SkillSettings,
): Configured<unknown> | undefined {
  const override = entryOf(skill, settings)?.override;
  if (override === undefined) return undefined;
  if (family.configure !== undefined) return family.configure(override, skill.card);
  throw new AgentError('usage.bad-settings', `Skills of the kind ${family.label} take no "override".`, {
    hint: `Remove it from skills.entries.${skill.name}.`,
  });
}

/** What settings change about a skill, or a finding where they cannot be used: then the file counts. */
export function tryConfigured(
  skill: Configurable,
  family: Family,
  settings: SkillSettings,
): { readonly configured?: Configured<unknown> | undefined; readonly issues: readonly Issue[] } {
  try {
    return { configured: configuredBy(skill, family, settings), issues: [] };
  } catch (thrown) {
    const message = `skills.entries.${skill.name}.override has no effect: ${reasonOf(thrown)}`;
    return { issues: [{ level: 'error', code: 'settings.override', message }] };
  }
}

/** The text of a skill after its head, as its file says it now; empty when there is none that can be read. */
export function bodyOf({ dir, file, loose }: SkillRecord, limits: SkillLimits): string {
  if (file === '') return '';
  try {
    return bundleOfBytes(openDescriptor(file, limits).bytes, { dir, file, stem: '', loose }, limits).body;
  } catch {
    return ''; // gone or changed since it was found: the next look at the disk tells
  }
}
