import { mapValues } from '../collections.ts';
import { firstFence } from '../descriptor/markdown.ts';
import type { Issue } from '../issue.ts';
import { isJsonObject, parseJson, type Json, type JsonObject } from '../json.ts';

const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/** Whether a value looks like a JSON Schema rather than example data. */
export function isJsonSchema(value: unknown): value is JsonObject {
  if (!isJsonObject(value)) return false;
  const type = value['type'];
  const named = Array.isArray(type) ? type : [type];
  if (named.length > 0 && named.every((name) => typeof name === 'string' && types.includes(name)))
    return true;
  if (isJsonObject(value['properties']) && Object.values(value['properties']).every(isJsonObject))
    return true;
  return Object.keys(value).some((key) => key.startsWith('$') || /^(?:any|all|one)Of$/.test(key));
}

/**
 * Returns the JSON Schema in the text's first `json` fence. If the fence contains no schema, reports an issue
 * on the fence's line.
 */
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
    const message = `The json fence in "${what}" is not valid JSON, so it is not used for validation.`;
    issues.push({
      level: 'warning',
      code: 'schema.json',
      message,
      line,
      hint: 'Correct the JSON, or remove "json" from the fence.',
    });
  } else if (!isJsonObject(value)) {
    const message = `The json fence in "${what}" is not an object, so it is not a JSON Schema and is not used for validation.`;
    issues.push({
      level: 'warning',
      code: 'schema.type',
      message,
      line,
      hint: 'Start it with {"type": "object"}.',
    });
  } else {
    const message = `The json fence in "${what}" looks like an example, not a JSON Schema, so it is not used for validation.`;
    issues.push({
      level: 'info',
      code: 'schema.example',
      message,
      line,
      hint: 'Put the schema in the first json fence, with a "type".',
    });
  }
  return undefined;
}

const numberKeywords =
  /^(?:m(?:in|ax)(?:imum|Length|Items|Properties|Contains)|exclusiveM(?:in|ax)imum|multipleOf)$/;
const booleanKeywords = /^(?:uniqueItems|readOnly|writeOnly|deprecated)$/;
const valueKeywords = /^(?:default|const|enum|examples)$/;
const schemaKeywords =
  /^(?:items|prefixItems|contains|additional\w+|unevaluated\w+|propertyNames|not|if|then|else|anyOf|allOf|oneOf)$/;
const schemaMaps = /^(?:properties|patternProperties|dependentSchemas|definitions|\$defs)$/;

/**
 * Converts a JSON Schema from frontmatter, where all scalars are strings. Converts limits to numbers, flags
 * to booleans, and data to the declared type.
 */
export function retypeSchema(schema: Json): Json {
  if (Array.isArray(schema)) return (schema as readonly Json[]).map(retypeSchema);
  if (!isJsonObject(schema)) return asFlag(schema);
  const types = [schema['type']].flat();
  return mapValues(schema, (value, keyword) => retypeKeyword(keyword, value, types));
}

function retypeKeyword(keyword: string, value: Json, types: readonly unknown[]): Json {
  if (keyword === 'type')
    return Array.isArray(value) ? (value as readonly Json[]).map(nullByName) : nullByName(value);
  if (schemaMaps.test(keyword)) return isJsonObject(value) ? mapValues(value, retypeSchema) : value;
  if (schemaKeywords.test(keyword)) return retypeSchema(value);
  if (numberKeywords.test(keyword)) return asNumber(value);
  if (booleanKeywords.test(keyword)) return asFlag(value);
  return valueKeywords.test(keyword) ? asData(value, types) : value;
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
  return Number.isFinite(number) ? number || 0 : value; // Converts minus zero to zero.
}

function asFlag(value: Json): Json {
  if (typeof value !== 'string' || !/^(?:true|false)$/i.test(value)) return value;
  return value.toLowerCase() === 'true';
}

/** Restores the type name `null`, because YAML reads a plain `null` as a missing value. */
function nullByName(value: Json): Json {
  return value === null ? 'null' : value;
}
