import { mapValues } from '../collections.ts';
import { firstFence } from '../descriptor/markdown.ts';
import type { Issue } from '../issue.ts';
import { isJsonObject, parseJson, type Json, type JsonObject } from '../json.ts';

const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/** Whether an object reads as a JSON Schema rather than as an example of the data. */
export function isJsonSchema(value: unknown): value is JsonObject {
  if (!isJsonObject(value)) return false;
  const type = value['type'];
  const named = Array.isArray(type) ? type : [type];
  if (named.length > 0 && named.every((word) => typeof word === 'string' && types.includes(word)))
    return true;
  if (isJsonObject(value['properties']) && Object.values(value['properties']).every(isJsonObject))
    return true;
  return Object.keys(value).some((key) => key.startsWith('$') || /^(?:any|all|one)Of$/.test(key));
}

/** The JSON Schema in the first json fence of a text; a fence that holds none is a finding on its own line. */
export function schemaFence(
  given: { readonly text: string; readonly line: number } | undefined,
  what: string,
  issues: Issue[],
): JsonObject | undefined {
  const fence = given === undefined ? undefined : firstFence(given.text, ['json']);
  if (given === undefined || fence === undefined) return undefined;
  const value = parseJson(fence.content);
  if (isJsonSchema(value)) return value;
  const line = given.line + fence.line - 1;
  if (value === undefined) {
    const message = `The json fence of "${what}" is not valid JSON; nothing is checked against it.`;
    issues.push({
      level: 'warning',
      code: 'schema.json',
      message,
      line,
      hint: 'Correct it, or write a plain fence.',
    });
  } else if (!isJsonObject(value)) {
    const message = `The json fence of "${what}" is not an object, so it is no JSON Schema; nothing is checked against it.`;
    issues.push({
      level: 'warning',
      code: 'schema.type',
      message,
      line,
      hint: 'Start it with {"type": "object"}.',
    });
  } else {
    const message = `The json fence of "${what}" reads as an example, not as a JSON Schema; nothing is checked against it.`;
    issues.push({
      level: 'info',
      code: 'schema.example',
      message,
      line,
      hint: 'Put the schema first, with a "type".',
    });
  }
  return undefined;
}

const numberWords =
  /^(?:m(?:in|ax)(?:imum|Length|Items|Properties|Contains)|exclusiveM(?:in|ax)imum|multipleOf)$/;
const flagWords = /^(?:uniqueItems|readOnly|writeOnly|deprecated)$/;
const dataWords = /^(?:default|const|enum|examples)$/;
const schemaWords =
  /^(?:items|prefixItems|contains|additional\w+|unevaluated\w+|propertyNames|not|if|then|else|anyOf|allOf|oneOf)$/;
const schemaMaps = /^(?:properties|patternProperties|dependentSchemas|definitions|\$defs)$/;

/** A JSON Schema from frontmatter, where all scalars are text: limits become numbers, switches booleans, data what its type says. */
export function retypeSchema(schema: Json): Json {
  if (Array.isArray(schema)) return (schema as readonly Json[]).map(retypeSchema);
  if (!isJsonObject(schema)) return asFlag(schema);
  const types = [schema['type']].flat();
  return mapValues(schema, (value, word) => retypeWord(word, value, types));
}

function retypeWord(word: string, value: Json, types: readonly unknown[]): Json {
  if (word === 'type')
    return Array.isArray(value) ? (value as readonly Json[]).map(nullByName) : nullByName(value);
  if (schemaMaps.test(word)) return isJsonObject(value) ? mapValues(value, retypeSchema) : value;
  if (schemaWords.test(word)) return retypeSchema(value);
  if (numberWords.test(word)) return asNumber(value);
  if (flagWords.test(word)) return asFlag(value);
  return dataWords.test(word) ? asData(value, types) : value;
}

function asData(value: Json, types: readonly unknown[]): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => asData(item, types));
  if (types.includes('string')) return value;
  if (types.includes('number') || types.includes('integer')) return asNumber(value);
  return types.includes('boolean') ? asFlag(value) : value;
}

function asNumber(value: Json): Json {
  if (typeof value !== 'string' || value.trim() === '') return value;
  const number = Number(value);
  return Number.isFinite(number) ? number || 0 : value; // never minus zero
}

function asFlag(value: Json): Json {
  if (typeof value !== 'string' || !/^(?:true|false)$/i.test(value)) return value;
  return value.toLowerCase() === 'true';
}

/** YAML reads a plain null as nothing; as a type it is a name. */
function nullByName(value: Json): Json {
  return value === null ? 'null' : value;
}
