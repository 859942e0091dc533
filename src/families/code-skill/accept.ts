import { isJsonObject, parseJson, type Json, type JsonObject } from '../../core/json.ts';
import { propertyOf, takesObject, typesOf } from '../../core/json/coerce.ts';
import { fitSchema } from '../../core/json/validate.ts';
import type { CodeSkillDefinition } from './definition.ts';

/**
 * The input as the schema of a skill takes it. Plain text is the one text that it needs, or the JSON that it spells; a
 * text that is neither stays one, for a model to take the values from. Throws `usage.bad-input`. Pure.
 */
export function accept({ name, input: schema }: CodeSkillDefinition, given: Json): Json {
  if (schema === undefined) return given;
  const subject = { skill: name };
  const meant = wordsIn(schema, given);
  if (meant === null || meant === '') return fitSchema(subject, schema, emptyFor(schema, meant));
  if (typeof meant !== 'string' || takesText(schema, meant)) return fitSchema(subject, schema, meant);
  const spelled = spelledValue(schema, meant);
  if (spelled !== undefined && doesFit(schema, spelled)) return fitSchema(subject, schema, spelled);
  const sole = soleText(schema);
  return sole === undefined ? meant : fitSchema(subject, schema, { [sole]: meant });
}

/** Whether an input that was accepted is a text that is still to be read. Pure. */
export function isUnread(schema: JsonObject, input: Json): input is string {
  return typeof input === 'string' && !takesText(schema, input);
}

function takesText(schema: JsonObject, text: string): boolean {
  const types = typesOf(schema);
  if (types.length > 0) return types.includes('string');
  return takesObject(schema) !== true && doesFit(schema, text);
}

function doesFit(schema: JsonObject, value: Json): boolean {
  try {
    fitSchema('', schema, value);
    return true;
  } catch {
    return false; // whoever wants to know why fits it again
  }
}

const usualArgument = 'input';

/** The words alone, where somebody wrapped them as an argument that this skill does not have. */
function wordsIn(schema: JsonObject, given: Json): Json {
  if (!isJsonObject(given) || !isJsonObject(schema['properties'])) return given;
  const [[key, value] = ['', null], ...others] = Object.entries(given);
  const isWrapped = key === usualArgument && others.length === 0 && typeof value === 'string';
  const isOpen = isJsonObject(schema['additionalProperties']) || schema['additionalProperties'] === true;
  return isWrapped && !isOpen && propertyOf(schema, key) === undefined ? value : given;
}

/** Nothing at all is an object without members where one is wanted. */
function emptyFor(schema: JsonObject, given: null | string): Json {
  const types = typesOf(schema);
  if (given !== null && types.includes('string')) return given;
  return takesObject(schema) === true && !types.includes('null') ? {} : given;
}

/** What a text spells as JSON; an object counts when it has a member that the skill knows, or none. */
function spelledValue(schema: JsonObject, text: string): Json | undefined {
  const value = parseJson(text);
  if (!isJsonObject(value) || !isJsonObject(schema['properties'])) return value;
  const keys = Object.keys(value);
  return keys.length === 0 || keys.some((key) => propertyOf(schema, key) !== undefined) ? value : undefined;
}

/** The one member that a plain text is: all that must be given, or all that can be. */
function soleText(schema: JsonObject): string | undefined {
  const { properties, required } = schema;
  if (takesObject(schema) !== true || !isJsonObject(properties)) return undefined;
  const needed: readonly Json[] = Array.isArray(required) ? required : [];
  const candidates = needed.length > 0 ? needed : Object.keys(properties);
  const [only] = candidates;
  if (candidates.length !== 1 || typeof only !== 'string') return undefined;
  return typesOf(propertyOf(schema, only)).includes('string') ? only : undefined;
}
