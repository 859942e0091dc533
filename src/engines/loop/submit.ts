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

/** The value that a loop must submit. */
export interface Submit {
  /** The value's JSON Schema. */
  readonly schema: JsonObject;
  /** Converts a value that matches the schema to the final value. Throws if the value is not acceptable. */
  readonly check?: (value: Json) => Json | Promise<Json>;
}

/** The tool with which a model submits a value, and the value that was accepted. */
export interface Submission {
  readonly tool: LoopTool;
  readonly taken: { readonly value: Json } | undefined;
  /** Discards the submitted value, so that the model must submit another one. */
  withdraw(): void;
}

/** Instructions that explain the `submit` tool to a model. */
export const explainSubmit =
  'When you have the result, call the tool submit once with the complete result. That call ends the task; a text answer is not accepted.';

/** The message to a model that answered with text instead of submitting a value. */
export const askForSubmit = 'Submit the result by calling the tool submit; a text answer is not accepted.';

/**
 * Creates a submission. Throws `skill.invalid` if the schema is invalid. The verdict on each submitted value
 * is recorded, so that a replay reaches the same verdict.
 */
export function createSubmission(scope: Scope, { schema, check = (value) => value }: Submit): Submission {
  schemaFor('the result', schema);
  const isObject = schema['type'] === 'object';
  let taken: { readonly value: Json } | undefined;
  const tool: LoopTool = {
    name: 'submit',
    description:
      'Submits the result of the whole task and ends the task. Call this tool once, as the last step, with the complete result.',
    input: isObject ? schema : wrapped(schema),
    sequential: true,
    unhooked: true,
    async call(input, key): Promise<ToolReply> {
      if (taken !== undefined)
        return { status: 'done', text: 'A result was already submitted.', isNote: true };
      const value = fitSchema('the result', schema, isObject ? input : unwrapped(input));
      const verdict = await scope.step<Verdict>(`${key}.check`, () => judge(check, value));
      if (verdict.fault !== undefined) {
        throw new AgentError('usage.bad-input', verdict.fault, {
          hint: 'Correct the result and submit it again.',
        });
      }
      taken = { value: verdict.value ?? null };
      return { status: 'done', text: 'Accepted.', isNote: true };
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

/** The verdict on a value. A type alias, because an interface is not assignable to `Json`. */
type Verdict = { value?: Json; fault?: string };

async function judge(check: NonNullable<Submit['check']>, value: Json): Promise<Verdict> {
  try {
    return { value: await check(value) };
  } catch (thrown) {
    return { fault: reasonOf(thrown) };
  }
}

/**
 * Wraps the schema of a result that is not an object, because the input of a tool must be an object. The
 * result becomes the property `value`. References to the root of the schema are adjusted.
 */
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
