import type { Json, JsonObject } from '../json.ts';

/**
 * A tool that the client of a request offers to its run. A call of it becomes a question that carries the call,
 * and the client's result is the answer.
 */
export interface ClientTool {
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of the arguments. Default: any object. */
  readonly input?: JsonObject;
}

/** A call of a client's tool, as its question carries it. */
export interface ClientToolCall {
  readonly name: string;
  readonly arguments: Json;
}

/** The JSON Schema of the answer to a client's call: the result as text, or why the call failed. */
export const clientAnswerSchema: JsonObject = {
  anyOf: [
    { type: 'string' },
    {
      type: 'object',
      properties: { error: { type: 'string' } },
      required: ['error'],
      additionalProperties: false,
    },
  ],
};
