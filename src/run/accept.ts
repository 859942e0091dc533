import { badInput } from '../core/bad-input.ts';
import { AgentError, reasonOf } from '../core/error.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { zod } from '../core/load-on-use.ts';
import type { Target } from './resolve.ts';

/** The input as the skill takes it, with defaults filled in; throws `usage.bad-input` that names every fault. */
export function accept({ skill, family, definition }: Target, input: Json): Json {
  if (family.accept !== undefined) return family.accept(definition, input) as Json;
  const schema = skill.card.input;
  return schema === undefined ? input : fitSchema(`the input of "${skill.name}"`, schema, input);
}

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
    const now = zod().z.fromJSONSchema(schema);
    made.set(schema, now);
    return now;
  } catch (thrown) {
    throw new AgentError('skill.invalid', `The JSON Schema of ${what} cannot be read: ${reasonOf(thrown)}`, {
      hint: 'Correct the schema.',
      cause: thrown,
    });
  }
}
