import { badInput } from './bad-input.ts';
import { AgentError, reasonOf } from './error.ts';
import type { Json, JsonObject } from './json.ts';
import { zod } from './load-on-use.ts';
import { withRequired } from './with-required.ts';

/** A value that fits a JSON Schema, with defaults filled in; throws `usage.bad-input` that names every fault. */
export function fitSchema(what: string, schema: JsonObject, value: Json): Json {
  const { success, data, error } = schemaFor(what, schema).safeParse(value);
  if (success) return data as Json;
  throw badInput(what, error.issues);
}

type Schema = ReturnType<ReturnType<typeof zod>['z']['fromJSONSchema']>;

const made = new WeakMap<JsonObject, Schema>();

/** A JSON Schema ready for use; throws `skill.invalid` for one that cannot be read. */
export function schemaFor(what: string, schema: JsonObject): Schema {
  const before = made.get(schema);
  if (before !== undefined) return before;
  try {
    const now = zod().z.fromJSONSchema(withRequired(schema));
    made.set(schema, now);
    return now;
  } catch (thrown) {
    throw new AgentError('skill.invalid', `The JSON Schema of ${what} cannot be read: ${reasonOf(thrown)}`, {
      hint: 'Correct the schema.',
      cause: thrown,
    });
  }
}
