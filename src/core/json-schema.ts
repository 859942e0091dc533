import type { Issue } from './issue.ts';
import { isJsonObject, parseJson, type JsonObject } from './json.ts';
import { firstFence } from './markdown.ts';

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
