import type { ZodType } from 'zod';
import { optional } from '../core/collections.ts';
import { schemaOf } from '../core/define-skill.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { badInput } from '../core/json/validate.ts';
import { collect, mustAnswer, type Model, type ModelRequest } from '../core/model.ts';
import { fencesIn, withoutThinking } from '../core/model/answer-text.ts';
import { askValue } from '../core/model/ask-value.ts';

/** What is made of an answer: the text, the JSON value or the code in it, or a value that fits a zod or JSON Schema. */
export type ResponseShape = 'text' | 'json' | 'code' | ZodType | JsonObject;

/** Asks for an answer of a shape; throws the failure of the model, or `model.bad-answer` when it does not keep to it. */
export async function askShaped(
  model: Model,
  request: ModelRequest,
  shape: ResponseShape,
  signal: AbortSignal,
): Promise<unknown> {
  if (shape === 'text') return askText(model, request, signal);
  if (shape === 'code') return codeIn(await askText(model, withOrder(request), signal));
  if (shape === 'json') return (await askValue(model, request, (value) => value, signal)).value;
  if (!isZodType(shape)) return (await askValue(model, request, shape, signal)).value;
  const asked = { ...request, ...optional('output', schemaOf(shape)) };
  return (await askValue(model, asked, (value) => fitZod(shape, value), signal)).value;
}

async function askText(model: Model, request: ModelRequest, signal: AbortSignal): Promise<string> {
  const reply = await collect(model.stream(request, signal));
  mustAnswer(model, reply);
  return reply.text;
}

function withOrder({ system = '', ...request }: ModelRequest): ModelRequest {
  const order = 'Answer with the code in one fenced block and with nothing else.';
  return { ...request, system: system === '' ? order : `${system}\n\n${order}` };
}

/** The content of the first fenced block; a text without one is code as a whole. */
function codeIn(text: string): string {
  const answer = withoutThinking(text);
  const [first] = fencesIn(answer);
  return first?.content ?? answer;
}

function isZodType(shape: ZodType | JsonObject): shape is ZodType {
  return typeof shape['safeParseAsync'] === 'function';
}

async function fitZod(schema: ZodType, value: Json): Promise<unknown> {
  const { success, data, error } = await schema.safeParseAsync(value);
  if (success) return data;
  throw badInput('the answer', error.issues);
}
