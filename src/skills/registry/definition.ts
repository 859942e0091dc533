import { realpathSync } from 'node:fs';
import {
  AgentError,
  bundleOfBytes,
  isPinned,
  optional,
  reasonOf,
  schemaOf,
  type Bundle,
  type Configured,
  type DefinedSkill,
  type DescriptorLocation,
  type Family,
  type Issue,
  type JsonObject,
  type GeneratedCode,
  type Skill,
  type SkillCard,
  type Source,
} from '../../core/index.ts';
import type { Facts } from '../cache/facts.ts';
import { openDescriptor, sumOf } from '../discover/draft.ts';
import { entryOf, type Keyed, type SkillSettings } from '../eligibility/skill-settings.ts';
import type { SkillLimits } from '../limits.ts';
import type { Applicant } from './collisions.ts';
import { SkillRecord } from './record.ts';

/** Converts a skill that is defined in code to an applicant of the family that adopts it. */
export function applicantOf(skill: DefinedSkill, families: readonly Family[], source: Source): Applicant {
  const family = families.find((candidate) => candidate.adopt?.(skill) !== undefined);
  if (family === undefined) {
    throw new AgentError('skill.invalid', `No family supports the skill "${skill.name}".`, {
      hint: 'Add instructions or a run function.',
    });
  }
  return {
    origin: {
      family,
      source,
      root: '',
      dir: '',
      file: '',
      stem: '',
      group: '',
      loose: false,
      codeDefinition: skill,
    },
    draft: { name: skill.name, card: cardOf(skill), issues: [], usable: true, sum: '' },
  };
}

/**
 * Returns the card of a skill that is defined in code. Its schemas are converted when they are first read.
 */
function cardOf(skill: DefinedSkill): SkillCard {
  const card = {
    description: skill.description,
    ...optional('whenToUse', skill.whenToUse),
    ...optional('argumentNames', skill.argumentNames),
    ...optional('argumentHint', skill.argumentHint),
    ...optional('tags', skill.tags),
    ...optional('allowedTools', skill.allowedTools),
    ...optional('label', skill.permission),
    ...optional('allowedSkills', skill.allowedSkills),
    ...optional('metadata', skill.metadata),
    ...optional('license', skill.license),
    ...optional('compatibility', skill.compatibility),
    ...optional('requires', skill.requires),
    ...(isPinned(skill.metadata) ? { pinned: true as const } : {}),
    ...(skill.sequential === true ? { sequential: true as const } : {}),
    ...(skill.textIsComplete === true ? { textIsComplete: true as const } : {}),
    ...(skill.runsProcesses === true ? { runsProcesses: true as const } : {}),
    ...(skill.disableModelInvocation === true ? { modelInvocable: false as const } : {}),
    ...(skill.userInvocable === false ? { userInvocable: false as const } : {}),
  };
  for (const key of ['input', 'output'] as const) {
    const schema = skill[key];
    if (schema === undefined) continue;
    let converted: JsonObject | undefined;
    Object.defineProperty(card, key, { enumerable: true, get: () => (converted ??= schemaOf(schema)) });
  }
  // Freeze only the top level, because a deep freeze would convert the schemas.
  return Object.freeze(card);
}

/**
 * Returns the state of a skill's generated code. Returns undefined if the skill has none or if its files are
 * unusable. Never writes, never throws.
 */
export function inspectGeneratedCode(
  skill: Skill,
  family: Family,
  limits: SkillLimits,
  settings?: SkillSettings,
): GeneratedCode | undefined {
  if (family.generation?.inspect === undefined || skill.dir === '' || skill.status === 'invalid')
    return undefined;
  try {
    return family.generation.inspect(definitionOf(skill, family, limits, settings), skill.dir);
  } catch {
    // The descriptor has changed or cannot be read. The next call of the skill reports the error.
    return undefined;
  }
}

/**
 * Whether a skill's descriptor contains code that runs. This is assumed if the descriptor has changed or cannot
 * be read. With `facts`, a descriptor is parsed only if its bytes are new.
 */
export function isCodeInDescriptor(
  skill: SkillRecord,
  family: Family | undefined,
  limits: SkillLimits,
  facts?: Facts,
): boolean {
  if (family?.permission?.runsCode === undefined) return false;
  const { runsCode } = family.permission;
  try {
    const compute = (): number => Number(runsCode(definitionOf(skill, family, limits)));
    const { sum } = skill;
    const value = facts === undefined || sum === '' ? compute() : facts.of(`code ${family.id}`, sum, compute);
    return value === 1;
  } catch {
    return true; // The descriptor cannot be checked, so assume that it contains code.
  }
}

/** Reads the definition of a skill with its family. Throws `skill.invalid` if the skill cannot be used. */
export function definitionOf(
  skill: Skill,
  family: Family,
  limits: SkillLimits,
  settings: SkillSettings = {},
): unknown {
  const definition = isDefined(skill.codeDefinition)
    ? family.adopt?.(skill.codeDefinition)
    : parsedDefinition(skill, family, limits);
  if (definition !== undefined) {
    const { name, source, card } = skill;
    const keyed = { name, source, card, requires: card.requires };
    const { configured } = tryConfigured(keyed, family, settings);
    return configured === undefined ? definition : Object.assign({}, definition, configured.definition);
  }
  throw new AgentError('skill.invalid', `"${skill.name}" cannot be used in its current state.`, {
    hint: skill.file === '' ? 'Check its definition in code.' : `Validate ${skill.file} to see its issues.`,
  });
}

const parsed = new WeakMap<SkillRecord, { readonly family: Family; readonly definition: unknown }>();

/** Parses a skill's descriptor, once per record. Its file must still have the registered content. */
function parsedDefinition(skill: Skill, family: Family, limits: SkillLimits): object | undefined {
  const bundle = bundleOf(skill, limits);
  if (!(skill instanceof SkillRecord)) return family.parse(bundle).definition as object | undefined;
  const known = parsed.get(skill);
  const definition = known?.family === family ? known.definition : family.parse(bundle).definition;
  parsed.set(skill, { family, definition });
  return definition as object | undefined;
}

function isDefined(definition: object | undefined): definition is DefinedSkill {
  return definition !== undefined && (definition as { kind?: unknown }).kind === 'skill';
}

/**
 * Returns the bundle of a skill. A skill that a program has loaded keeps its bundle. For any other skill, the
 * bundle is read again.
 */
function bundleOf(skill: Skill, limits: SkillLimits): Bundle {
  if (skill.codeDefinition !== undefined) return skill.codeDefinition as Bundle;
  const { dir, file, name: stem } = skill;
  const location = skill instanceof SkillRecord ? locationOf(skill) : { dir, file, loose: false };
  try {
    const { bytes } = openDescriptor(realpathSync(file), limits);
    if (skill instanceof SkillRecord && sumOf(bytes) !== skill.sum) throw changed(skill);
    return bundleOfBytes(Buffer.from(bytes), { ...location, stem }, limits);
  } catch (thrown) {
    if (thrown instanceof AgentError) throw thrown;
    throw new AgentError('skill.invalid', `${file} cannot be read: ${reasonOf(thrown)}.`, {
      hint: 'List the skills again; the file may have moved.',
      cause: thrown,
    });
  }
}

function locationOf(skill: SkillRecord): Omit<DescriptorLocation, 'stem'> {
  const { dir, file, loose, command, plugin } = skill;
  return { dir, file, loose, ...optional('command', command), ...optional('plugin', plugin) };
}

/**
 * Creates the error for a descriptor that has changed. Decisions about its previous content no longer apply.
 */
function changed({ name, file }: Skill): AgentError {
  return new AgentError('skill.changed', `${file} changed after "${name}" was registered.`, {
    hint: 'Reload the agent, or let it watch its folders.',
  });
}

/** A skill that the settings can override. */
interface Configurable extends Keyed {
  /** The card from the skill's file. */
  readonly card: SkillCard;
}

/**
 * Returns a skill's override from the settings, or undefined if there is none. Throws `usage.bad-settings` if
 * it is invalid.
 */
function configuredBy(
  skill: Configurable,
  family: Family,
  settings: SkillSettings,
): Configured<unknown> | undefined {
  const override = entryOf(skill, settings)?.override;
  if (override === undefined) return undefined;
  if (family.configure !== undefined) return family.configure(override, skill.card);
  throw new AgentError('usage.bad-settings', `${family.label} skills do not support "override".`, {
    hint: `Remove "override" from skills.entries.${skill.name}.`,
  });
}

/**
 * Returns a skill's override from the settings. If the override is invalid, returns an issue, and the values
 * in the skill's file apply unchanged.
 */
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

/**
 * Returns the current text of a skill's file without frontmatter, and whether the file is as it was when the
 * skill was registered. The text is "" if the file cannot be read.
 */
export function bodyOf(
  skill: SkillRecord,
  limits: SkillLimits,
): { readonly body: string; readonly isRegistered: boolean } {
  const { file } = skill;
  if (file === '') return { body: '', isRegistered: true };
  try {
    const { bytes } = openDescriptor(file, limits);
    const isRegistered = sumOf(bytes) === skill.sum;
    return { body: bundleOfBytes(bytes, { ...locationOf(skill), stem: '' }, limits).body, isRegistered };
  } catch {
    return { body: '', isRegistered: false }; // The file has changed since it was found; the next scan sees it.
  }
}
