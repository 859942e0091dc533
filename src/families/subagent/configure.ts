import {
  AgentError,
  didYouMean,
  optional,
  splitList,
  type Configured,
  type Json,
  type JsonObject,
  type SkillCard,
} from '../../core/index.ts';
import { buildCard, withMeans } from './tool-rules.ts';
import type { SubagentDefinition } from './settings.ts';
import { splitAtCommas, toolNames } from './settings.ts';

type Changes = Partial<
  Pick<
    SubagentDefinition,
    'model' | 'tools' | 'skills' | 'skillInjection' | 'inheritProjectContext' | 'inheritSkills'
  >
>;

/** Functions that read the settings, keyed by setting name. They return undefined for an invalid value. */
const readers: { readonly [Key in keyof Changes]-?: (value: Json) => Changes[Key] } = {
  model: (value) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined),
  tools: (value) => toolNames(listIn(value, splitList)),
  skills: (value) => listIn(value, splitAtCommas),
  skillInjection: (value) => (value === 'full' || value === 'light' ? value : undefined),
  inheritProjectContext: flagIn,
  inheritSkills: flagIn,
};

const shapes: Readonly<Record<keyof Changes, string>> = {
  model: 'the name of a model or tier',
  tools: 'a list of tools',
  skills: 'a list of names',
  skillInjection: '"full" or "light"',
  inheritProjectContext: 'true or false',
  inheritSkills: 'true or false',
};

/** Reads the settings that override a subagent's file, whose card is `file`. Throws `usage.bad-settings`. */
export function configure(settings: JsonObject, file: SkillCard): Configured<SubagentDefinition> {
  const definition: Changes = Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [key, readValue(key, value)]),
  );
  const card = buildCard(definition);
  const rules = card.allowedTools ?? file.allowedTools;
  const { skillInjection, inheritSkills } = definition;
  const means = { lists: skillInjection === 'light', ...optional('inheritSkills', inheritSkills) };
  return {
    card: { ...card, ...optional('allowedTools', rules && withMeans(rules, means)) },
    definition,
  };
}

function readValue(key: string, value: Json): Changes[keyof Changes] {
  if (!isKey(key)) {
    throw new AgentError('usage.bad-settings', `Settings cannot change "${key}" of a subagent.`, {
      hint:
        didYouMean(key, Object.keys(readers)) ?? `Settings can change ${Object.keys(readers).join(', ')}.`,
    });
  }
  const read = readers[key](value);
  if (read !== undefined) return read;
  throw new AgentError('usage.bad-settings', `"${key}" of a subagent must be ${shapes[key]}.`, {
    hint: 'Correct the setting, or remove it to use the value from the file.',
  });
}

function isKey(key: string): key is keyof Changes {
  return Object.hasOwn(readers, key);
}

function flagIn(value: Json): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

function listIn(value: Json, split: (text: string) => readonly string[]): readonly string[] | undefined {
  if (typeof value === 'string') return split(value);
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
  return isList
    ? [...new Set((value as readonly string[]).map((item) => item.trim()).filter(Boolean))]
    : undefined;
}
