import type { Bundle } from './bundle.ts';
import type { Fields } from './fields.ts';
import { hidesText } from './hidden.ts';
import type { Issue } from './issue.ts';
import { isJsonObject, parseJson, type JsonObject } from './json.ts';
import { isJsonSchema } from './json-schema.ts';
import { optional } from './optional.ts';
import { requirementsOf } from './requirements.ts';
import { retypeSchema } from './retype-schema.ts';
import type { SkillCard } from './skill.ts';

/** The longest description kept, in characters. */
export const longestDescription = 1024;

/**
 * The frontmatter fields that `readCard` and every family's name and description come from. Above each stands what it
 * means, which docs/reference/descriptors.md is made of.
 */
export const cardFields = [
  /** What the skill is called; without it, the title, the folder or the file gives the name. */
  'name',
  /** What it does and when to use it: people and models choose by it. At most 1,024 characters are kept. */
  'description',
  /** Text that is shown and searched together with the description. */
  'when-to-use',
  /** JSON Schema in YAML of what the skill takes, where its family does not say that itself. */
  'input',
  /** JSON Schema in YAML of the value that it comes to, where its family does not say that itself. */
  'output',
  /** Names of the arguments in their order, as a list or as words. */
  'arguments',
  /** Text for people that says what to type behind the name, such as `[from] [to]`. */
  'argument-hint',
  /** A list of words by which programs find the skill. */
  'tags',
  /** Globs of files: models are offered the skill once such a file was read or changed. */
  'paths',
  /** A map of your own; under its key `skilled` stands what the skill needs. */
  'metadata',
  /** `true`: no model chooses the skill; people and code can call it. */
  'disable-model-invocation',
  /** `false`: the skill is not offered to people. */
  'user-invocable',
  /** The licence it is under, for people. */
  'license',
  /** Where it works and what it was made for, for people. */
  'compatibility',
];

/** The card fields that every family reads the same way; the description is the family's own business. */
export function readCard(fields: Fields, description: string, bundle: Bundle, issues: Issue[]): SkillCard {
  const metadata = metadataOf(fields);
  const requires = requirementsOf(metadata, issues);
  const whenToUse = fields.text('when-to-use')?.trim();
  const hiding = hidesText(description)
    ? 'description'
    : hidesText(whenToUse ?? '')
      ? 'when-to-use'
      : undefined;
  if (hiding !== undefined) {
    const line = bundle.head.lineOf(hiding);
    issues.push({
      level: 'warning',
      code: 'description.hidden',
      message: `The ${hiding} holds characters that cannot be seen; models are shown it without them.`,
      ...(line === undefined ? {} : { line }),
    });
  }
  return {
    description,
    ...optional('whenToUse', whenToUse === '' ? undefined : whenToUse),
    ...optional('input', schemaIn(fields, 'input', bundle, issues)),
    ...optional('output', schemaIn(fields, 'output', bundle, issues)),
    ...optional('argumentNames', fields.list('arguments')),
    ...optional('argumentHint', hintOf(fields)),
    ...optional('tags', fields.list('tags')),
    ...optional('paths', fields.list('paths')),
    ...optional('metadata', metadata),
    ...optional('license', textIn(fields, 'license')),
    ...optional('compatibility', textIn(fields, 'compatibility')),
    ...optional('requires', requires),
    ...(fields.flag('disable-model-invocation') === true ? { modelInvocable: false as const } : {}),
    ...(fields.flag('user-invocable') === false ? { userInvocable: false as const } : {}),
  };
}

function textIn(fields: Fields, key: string): string | undefined {
  const text = fields.text(key)?.trim();
  return text === '' ? undefined : text;
}

/** A description cut to the longest allowed, with a finding when something was lost. */
export function fitDescription(text: string, issues: Issue[], line?: number): string {
  const letters = text.length > longestDescription ? Array.from(text) : [];
  if (letters.length <= longestDescription) return text;
  issues.push({
    level: 'warning',
    code: 'description.long',
    message: `The description has ${letters.length} characters; ${longestDescription} are kept.`,
    ...(line === undefined ? {} : { line }),
    hint: 'Shorten it and move the rest into the body.',
    standard: true,
  });
  return letters.slice(0, longestDescription).join('');
}

function metadataOf(fields: Fields): JsonObject | undefined {
  const raw = fields.raw('metadata');
  if (typeof raw !== 'string' || !raw.trimStart().startsWith('{')) return fields.map('metadata');
  const parsed = parseJson(raw);
  return isJsonObject(parsed) ? parsed : fields.map('metadata'); // not JSON after all: reported like any other text
}

/** `argument-hint: [file]` is a YAML list to a parser and a hint to its author. */
function hintOf(fields: Fields): string | undefined {
  const raw = fields.raw('argument-hint');
  const isList = Array.isArray(raw) && raw.every((item) => typeof item === 'string');
  return isList ? `[${raw.join(', ')}]` : fields.text('argument-hint');
}

function schemaIn(fields: Fields, key: string, bundle: Bundle, issues: Issue[]): JsonObject | undefined {
  const written = fields.map(key);
  if (written === undefined) return undefined;
  const schema = retypeSchema(written);
  if (isJsonSchema(schema)) return schema;
  const line = bundle.head.lineOf(key);
  issues.push({
    level: 'warning',
    code: 'field.type',
    message: `"${key}" is not a JSON Schema; it was left out.`,
    ...(line === undefined ? {} : { line }),
    hint: 'Start it with "type: object".',
  });
  return undefined;
}
