import type { ZodType } from 'zod';
import { schemaOf } from '../core/define-skill.ts';
import { AgentError, isAgentError, reasonOf } from '../core/error.ts';
import { isJsonObject } from '../core/json.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { badInput, fitSchema, schemaFor } from '../core/json/validate.ts';
import type { RunResult, Wanted } from '../core/run.ts';

/** What a caller wants a skill to come to. */
export interface WantedResult {
  /** For the model. */
  readonly schema: JsonObject;
  /** Judges what the schema cannot say, while there is still a turn for repair. */
  readonly check?: Wanted['check'];
  /** The value of a run as the caller gets it, or the promise of it; throws `skill.no-result` where none fits. */
  read(run: RunResult): unknown;
}

/** Makes a zod schema or a JSON Schema the wanted result of a skill; throws `usage.bad-input` for anything else. */
export function wantedResult(schema: ZodType | JsonObject): WantedResult {
  if (isZod(schema)) return byZod(schema);
  if (isJsonObject(schema)) return byJsonSchema(schema);
  throw notASchema('it is no object.');
}

/** The value of a run; throws `skill.no-result` where it gave none. */
export function mustHaveValue(run: RunResult): Json {
  if (run.value !== undefined) return run.value;
  throw noResult(run, 'It gave no value.');
}

function noResult({ skill, runId }: RunResult, why: string, details: JsonObject = {}): AgentError {
  return new AgentError('skill.no-result', `"${skill}" came to no result. ${why}`, {
    hint: 'Look at the run, or ask for something simpler.',
    details: { ...details, runId },
  });
}

function byZod(schema: ZodType): WantedResult {
  return {
    schema: jsonSchemaOf(schema),
    async check(value) {
      const { error } = await schema.safeParseAsync(value);
      if (error !== undefined) throw badInput('the result', error.issues);
      return value; // the log keeps what was said; the caller gets what the schema makes of it
    },
    async read(run) {
      const { success, data, error } = await schema.safeParseAsync(mustHaveValue(run));
      if (success) return data;
      throw misfit(run, badInput('the result', error.issues));
    },
  };
}

function byJsonSchema(schema: JsonObject): WantedResult {
  try {
    schemaFor('the result', schema);
  } catch (thrown) {
    throw notASchema(reasonOf(thrown));
  }
  return {
    schema,
    read(run) {
      const value = mustHaveValue(run);
      try {
        return fitSchema('the result', schema, value);
      } catch (thrown) {
        throw isAgentError(thrown) ? misfit(run, thrown) : thrown;
      }
    },
  };
}

function isZod(schema: ZodType | JsonObject): schema is ZodType {
  return typeof (schema as Partial<ZodType> | null)?.safeParse === 'function';
}

/** Schemas of older versions of the library look the same and cannot say this. */
function jsonSchemaOf(schema: ZodType): JsonObject {
  try {
    return schemaOf(schema) as JsonObject;
  } catch (thrown) {
    throw notASchema(reasonOf(thrown));
  }
}

function notASchema(reason: string): AgentError {
  return new AgentError('usage.bad-input', `The wanted result cannot be read as a schema: ${reason}`, {
    hint: 'Give a schema of zod 4, or a JSON Schema.',
  });
}

function misfit(run: RunResult, { message, details }: AgentError): AgentError {
  return noResult(run, message, isJsonObject(details) ? details : {});
}
