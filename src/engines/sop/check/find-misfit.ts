import { isAgentError, type AgentError } from '../../../core/error.ts';
import { fitSchema } from '../../../core/json/validate.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import { kindOf } from './accepted.ts';

/** Why a value does not fit a schema; undefined when it fits, and when the schema cannot be read: the command itself tells that. */
export function findMisfit(
  what: string,
  schema: JsonObject | undefined,
  value: Json,
): AgentError | undefined {
  if (schema === undefined || fitsAtSight(schema, value)) return undefined;
  try {
    fitSchema(what, schema, value);
    return undefined;
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    return thrown.code === 'usage.bad-input' ? thrown : undefined;
  }
}

/** Most places ask for one kind and nothing more, which needs no schema library. */
function fitsAtSight(schema: JsonObject, value: Json): boolean {
  return Object.entries(schema).every(([word, asked]) =>
    word === 'type' ? isOfType(value, asked) : saysNothing.has(word),
  );
}

function isOfType(value: Json, type: Json): boolean {
  const kind = kindOf(value);
  return kind === type || (kind === 'integer' && type === 'number');
}

const saysNothing: ReadonlySet<string> = new Set([
  ...['title', 'description', 'default', 'examples', '$comment', '$defs', 'definitions'],
]);
