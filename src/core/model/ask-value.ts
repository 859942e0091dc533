import { optional } from '../collections.ts';
import { reasonOf } from '../crash-reason.ts';
import { AgentError, isAgentError } from '../error.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { fitSchema, schemaFor } from '../json/validate.ts';
import {
  addUsage,
  collect,
  mustAnswer,
  noUsage,
  type Message,
  type Model,
  type ModelReply,
  type ModelRequest,
  type Usage,
} from '../model.ts';
import { jsonInText, withoutThinking } from './answer-text.ts';

/**
 * A function that converts a model's answer to a value. If it throws, the model receives the error's message.
 */
export type ValueCheck<Value> = (value: Json) => Value | Promise<Value>;

/** A value that a model returned. */
export interface AskedValue<Value> {
  readonly value: Value;
  /** The answer that contained the value. */
  readonly reply: ModelReply;
  /** The combined usage of all answers. */
  readonly usage: Usage;
}

const maxRepairs = 2;

/**
 * Asks a model for a JSON value that matches a schema or passes a check. With a check, `request.output` is
 * the optional schema. If the answer is invalid, sends the errors to the model and asks again, at most twice.
 * If the last answer is invalid too, throws `model.bad-answer`. Throws the model's error if the model fails.
 * The tools in the request are not offered to the model.
 */
export async function askValue<Value = Json>(
  model: Model,
  request: ModelRequest,
  schema: JsonObject | ValueCheck<Value>,
  signal: AbortSignal,
): Promise<AskedValue<Value>> {
  const check = checkOf(schema);
  let asked = askingFor(request, isJsonObject(schema) ? schema : request.output);
  let usage = noUsage;
  for (let repairs = 0; ; repairs++) {
    const reply = await collect(model.stream(asked, signal));
    usage = addUsage(usage, reply.usage);
    mustAnswer(model, reply);
    const { value, fault } = await read(reply.text, check);
    if (fault === undefined) return { value: value as Value, reply, usage };
    if (repairs === maxRepairs) throw badAnswer(reply.model ?? model.id, fault, reply.text);
    asked = { ...asked, messages: [...asked.messages, ...repairTurns(reply, fault)] };
  }
}

function checkOf<Value>(schema: JsonObject | ValueCheck<Value>): ValueCheck<Value> {
  if (typeof schema === 'function') return schema;
  // Compile the schema before the first request, so that an invalid schema throws immediately.
  schemaFor('the answer', schema);
  return (value) => fitSchema('the answer', schema, value) as Value;
}

/**
 * Builds the request. The system prompt also contains the schema, because not every server passes `output` on
 * to its model.
 */
function askingFor(request: ModelRequest, schema: JsonObject | undefined): ModelRequest {
  const { system, output: _output, tools: _tools, ...rest } = request;
  const order =
    schema === undefined
      ? 'Answer with a single JSON value and nothing else.'
      : `Answer with only one JSON value, which must match this JSON Schema:\n${JSON.stringify(schema)}`;
  return {
    ...rest,
    system: system === undefined || system === '' ? order : `${system}\n\n${order}`,
    // Providers accept only schemas of objects.
    ...optional('output', schema?.['type'] === 'object' ? schema : undefined),
  };
}

const maxCandidates = 10;

/** Returns the first JSON value that passes the check, or else the error for the most likely value. */
async function read<Value>(
  text: string,
  check: ValueCheck<Value>,
): Promise<{ readonly value?: Value; readonly fault?: string }> {
  let fault: string | undefined;
  let count = 0;
  for (const candidate of jsonInText(withoutThinking(text))) {
    try {
      return { value: await check(candidate) };
    } catch (thrown) {
      fault ??= faultOf(thrown);
    }
    if (++count === maxCandidates) break;
  }
  if (fault !== undefined) return { fault };
  return { fault: text.trim() === '' ? 'The answer is empty.' : 'The answer is not valid JSON.' };
}

function faultOf(thrown: unknown): string {
  const faults = isAgentError(thrown) && isJsonObject(thrown.details) ? thrown.details['faults'] : undefined;
  return Array.isArray(faults) ? faults.map((fault) => `- ${String(fault)}`).join('\n') : reasonOf(thrown);
}

function repairTurns({ text, native }: ModelReply, fault: string): readonly Message[] {
  const order = `That answer cannot be used:\n${fault}\nAnswer again with only the complete corrected JSON value.`;
  const said: Message = { role: 'assistant', text, ...optional('native', native) };
  return [...(text.trim() === '' ? [] : [said]), { role: 'user', text: order }];
}

const maxShown = 300; // The maximum number of characters of the answer to quote in the error.

function badAnswer(model: string, fault: string, text: string): AgentError {
  const message = `${model} gave no valid answer in ${maxRepairs + 1} attempts: ${fault.replace(/\s*\n(?:- )?/g, '; ').replace(/^- /, '')}`;
  return new AgentError('model.bad-answer', message.endsWith('.') ? message : `${message}.`, {
    hint: 'Use a stronger model, or a simpler schema.',
    details: { answer: text.slice(0, maxShown) },
  });
}
