import { isJsonObject, type Json } from './json.ts';
import { mapValues } from './map-values.ts';

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
