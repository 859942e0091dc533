import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';

/** The schema of a member of an object or of an item of an array; an empty one where nothing is said about it. */
export function memberSchema(schema: JsonObject, key: string | number): JsonObject {
  const members = schema['properties'];
  const own = isJsonObject(members) && Object.hasOwn(members, key) ? members[key] : undefined;
  const wanted = typeof key === 'number' ? schema['items'] : (own ?? schema['additionalProperties']);
  return isJsonObject(wanted) ? wanted : {};
}

/** Whether a schema takes a text, and not a value of this kind. */
export function wantsText(schema: JsonObject, value: Json): boolean {
  const types = typesIn(schema);
  const own = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  return types.includes('string') && !types.includes(own) && !(own === 'number' && types.includes('integer'));
}

function typesIn({ type = [], anyOf = [], oneOf = [] }: JsonObject): readonly Json[] {
  const branches = [anyOf, oneOf].flat().filter((branch) => isJsonObject(branch));
  return [type, ...branches.map((branch) => branch['type'] ?? [])].flat();
}
