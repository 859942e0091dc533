import { isAgentError, type AgentError } from '../../core/error.ts';
import { fitSchema } from '../../core/fit-schema.ts';
import type { Json, JsonObject } from '../../core/json.ts';

/** Why a value does not fit a schema; undefined when it fits, and when the schema cannot be read: the command itself tells that. */
export function findMisfit(
  what: string,
  schema: JsonObject | undefined,
  value: Json,
): AgentError | undefined {
  if (schema === undefined || (typeof value === 'string' && isAnyText(schema))) return undefined;
  try {
    fitSchema(what, schema, value);
    return undefined;
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    return thrown.code === 'usage.bad-input' ? thrown : undefined;
  }
}

/** Most places take text of any kind, which needs no schema library. */
function isAnyText(schema: JsonObject): boolean {
  return Object.entries(schema).every(([word, value]) =>
    word === 'type' ? value === 'string' : saysNothing.has(word),
  );
}

const saysNothing: ReadonlySet<string> = new Set([
  ...['title', 'description', 'default', 'examples', '$comment', '$defs', 'definitions'],
]);
