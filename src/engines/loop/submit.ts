import {
  AgentError,
  fitSchema,
  isJsonObject,
  reasonOf,
  schemaFor,
  type Json,
  type JsonObject,
  type Scope,
} from '../../core/index.ts';
import type { LoopTool, ToolReply } from './tools.ts';

/** A value that a loop must come to. */
export interface Submit {
  /** JSON Schema of the value. */
  readonly schema: JsonObject;
  /** Gives the value that counts for one that fits the schema, or throws what is wrong with it. */
  readonly check?: (value: Json) => Json | Promise<Json>;
}

/** The tool by which a model gives the value, and the value once it did. */
export interface Submission {
  readonly tool: LoopTool;
  readonly taken: { readonly value: Json } | undefined;
  /** The value does not count any more, and another one can be given. */
  withdraw(): void;
}

/** What a model is told about the tool. */
export const explainSubmit =
  'When you have the result, call the tool submit once with all of it. That call ends the task; a result in words is not taken.';

/** What a model is told that answered in words. */
export const askForSubmit = 'Give the result by calling the tool submit; words alone are not taken.';

/** Throws `skill.invalid` for a schema that cannot be read. A verdict is kept, so that a replay gives the same one. */
export function createSubmission(scope: Scope, { schema, check = (value) => value }: Submit): Submission {
  schemaFor('the result', schema);
  const isObject = schema['type'] === 'object';
  let taken: { readonly value: Json } | undefined;
  const tool: LoopTool = {
    name: 'submit',
    description: 'Takes the result of the whole task and ends it. Call it once, last, with everything in it.',
    input: isObject ? schema : wrapped(schema),
    sequential: true,
    unhooked: true,
    async call(input, key): Promise<ToolReply> {
      if (taken !== undefined) return { status: 'done', text: 'A result was taken already.', isNote: true };
      const value = fitSchema('the result', schema, isObject ? input : unwrapped(input));
      const verdict = await scope.step<Verdict>(`${key}.check`, () => judge(check, value));
      if (verdict.fault !== undefined) {
        throw new AgentError('usage.bad-input', verdict.fault, { hint: 'Correct it and submit it again.' });
      }
      taken = { value: verdict.value ?? null };
      return { status: 'done', text: 'Taken.', isNote: true };
    },
  };
  return {
    tool,
    get taken() {
      return taken;
    },
    withdraw: () => {
      taken = undefined;
    },
  };
}

/** A type and no interface, so that it is JSON. */
type Verdict = { value?: Json; fault?: string };

async function judge(check: NonNullable<Submit['check']>, value: Json): Promise<Verdict> {
  try {
    return { value: await check(value) };
  } catch (thrown) {
    return { fault: reasonOf(thrown) };
  }
}

/** Tools take objects; a result that is none is the member `value` of one. References in it go on meaning what they did. */
function wrapped({ $schema: _schema, $defs, definitions, ...schema }: JsonObject): JsonObject {
  const value = rerooted(schema);
  return {
    type: 'object',
    properties: { value },
    required: ['value'],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs: rerooted($defs) }),
    ...(definitions === undefined ? {} : { definitions: rerooted(definitions) }),
  };
}

function rerooted(part: Json): Json {
  if (Array.isArray(part)) return part.map((item: Json) => rerooted(item));
  if (!isJsonObject(part)) return part;
  const members = Object.entries(part).map(([key, value]) => [
    key,
    key === '$ref' && value === '#' ? '#/properties/value' : rerooted(value),
  ]);
  return Object.fromEntries(members) as JsonObject;
}

function unwrapped(given: Json): Json {
  return isJsonObject(given) && Object.hasOwn(given, 'value') ? (given['value'] ?? null) : given;
}
