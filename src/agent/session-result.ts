import type { ZodType } from 'zod';
import { badInput } from '../core/bad-input.ts';
import { schemaOf } from '../core/define-skill.ts';
import { AgentError, isAgentError, reasonOf } from '../core/error.ts';
import { fitSchema, schemaFor } from '../core/fit-schema.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { Wanted } from '../core/wanted.ts';

/** What a caller wants a skill to come to. */
export interface WantedResult {
  /** For the model. */
  readonly schema: JsonObject;
  /** Judges what the schema cannot say, while there is still a turn for repair. */
  readonly check?: Wanted['check'];
  /** The value as the caller gets it, or the promise of it; throws `skill.no-result` for one that does not fit. */
  read(value: Json | undefined): unknown;
}

/** Makes a zod schema or a JSON Schema the wanted result of a skill; throws `usage.bad-input` for anything else. */
export function wantedResult(skill: string, schema: ZodType | JsonObject): WantedResult {
  return isZod(schema) ? byZod(skill, schema) : byJsonSchema(skill, schema);
}

/** The failure of a skill of which no fitting value came. */
export function noResult(skill: string, why: string, details?: Json): AgentError {
  return new AgentError('skill.no-result', `"${skill}" came to no result: ${why}`, {
    hint: 'Look at the run, or ask for something simpler.',
    ...(details === undefined ? {} : { details }),
  });
}

function byZod(skill: string, schema: ZodType): WantedResult {
  return {
    schema: jsonSchemaOf(schema),
    check(value) {
      const faults = faultsNow(schema, value);
      if (faults !== undefined) throw badInput('the result', faults);
      return value; // the log keeps what was said; the caller gets what the schema makes of it
    },
    async read(value) {
      const { success, data, error } = await schema.safeParseAsync(mustBeThere(skill, value));
      if (success) return data;
      throw misfit(skill, badInput('the result', error.issues));
    },
  };
}

type Faults = Parameters<typeof badInput>[1];

/** What is wrong with a value; a schema that has to wait for something can only say it in the end. */
function faultsNow(schema: ZodType, value: Json): Faults | undefined {
  try {
    return schema.safeParse(value).error?.issues;
  } catch (thrown) {
    if (thrown instanceof Error && thrown.constructor.name === '$ZodAsyncError') return undefined;
    throw thrown;
  }
}

function byJsonSchema(skill: string, schema: JsonObject): WantedResult {
  try {
    schemaFor('the result', schema);
  } catch (thrown) {
    throw notASchema(reasonOf(thrown));
  }
  return {
    schema,
    read(value) {
      try {
        return fitSchema('the result', schema, mustBeThere(skill, value));
      } catch (thrown) {
        throw isAgentError(thrown) && thrown.code === 'usage.bad-input' ? misfit(skill, thrown) : thrown;
      }
    },
  };
}

function isZod(schema: ZodType | JsonObject): schema is ZodType {
  return typeof (schema as Partial<ZodType>).safeParse === 'function';
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

function mustBeThere(skill: string, value: Json | undefined): Json {
  if (value === undefined) throw noResult(skill, 'It gave no value.');
  return value;
}

function misfit(skill: string, { message, details }: AgentError): AgentError {
  return noResult(skill, message, details);
}
