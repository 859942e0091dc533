import { badInput, subjectText, type Subject } from './bad-input.ts';
import { AgentError, reasonOf } from './error.ts';
import type { Json, JsonObject } from './json.ts';
import { zod } from './load-on-use.ts';
import { stopLate } from './stop-late.ts';
import { withRequired } from './with-required.ts';

/** A value that fits a JSON Schema, with defaults filled in; throws `usage.bad-input` that names every fault. */
export function fitSchema(subject: Subject, schema: JsonObject, value: Json): Json {
  const { success, data, error } = check(subjectText(subject), schema, value);
  if (success) return data as Json;
  throw badInput(subject, error.issues);
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
    throw unusable(`The JSON Schema of ${what} cannot be read: ${reasonOf(thrown)}`, thrown);
  }
}

const patience = 1000; // milliseconds

/** A schema can ask for more work than there is time for, by a pattern or by parts that lead to each other. */
function check(what: string, schema: JsonObject, value: Json): ReturnType<Schema['safeParse']> {
  const ready = schemaFor(what, schema);
  if (!mayBeSlow(schema)) return ready.safeParse(value);
  try {
    return stopLate(patience, () => ready.safeParse(value));
  } catch (thrown) {
    const message = `The JSON Schema of ${what} asks for a check that does not come to an end: ${reasonOf(thrown)}`;
    throw unusable(message, thrown);
  }
}

const slow = new WeakMap<JsonObject, boolean>();

function mayBeSlow(schema: JsonObject): boolean {
  const known =
    slow.get(schema) ?? /"(?:pattern|patternProperties|\$\w*[rR]ef)":/.test(JSON.stringify(schema));
  slow.set(schema, known);
  return known;
}

function unusable(message: string, cause: unknown): AgentError {
  return new AgentError('skill.invalid', message, { hint: 'Correct the schema.', cause });
}
