import { optional } from '../collections.ts';
import { AgentError, isAgentError, reasonOf } from '../error.ts';
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

/** Makes a value of what the model answered, or throws what is wrong with it; the model gets to read that. */
export type ValueCheck<Value> = (value: Json) => Value | Promise<Value>;

/** A value that a model gave. */
export interface AskedValue<Value> {
  readonly value: Value;
  /** The answer that held it. */
  readonly reply: ModelReply;
  /** Of all answers together. */
  readonly usage: Usage;
}

const mostRepairs = 2;

/**
 * Asks a model for a JSON value that fits a schema or passes a check (then `request.output` is its schema, where there
 * is one). An answer that does not fit goes back with its exact faults, twice at most; then it is `model.bad-answer`.
 * Throws the failure of the model. Tools of the request are not offered.
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
    if (repairs === mostRepairs) throw badAnswer(reply.model ?? model.id, fault, reply.text);
    asked = { ...asked, messages: [...asked.messages, ...repairTurns(reply, fault)] };
  }
}

function checkOf<Value>(schema: JsonObject | ValueCheck<Value>): ValueCheck<Value> {
  if (typeof schema === 'function') return schema;
  schemaFor('the answer', schema); // no answer could fit one that cannot be read
  return (value) => fitSchema('the answer', schema, value) as Value;
}

/** The schema is said in words too: not every server passes it on to its model. */
function askingFor(request: ModelRequest, schema: JsonObject | undefined): ModelRequest {
  const { system, output: _output, tools: _tools, ...rest } = request;
  const order =
    schema === undefined
      ? 'Answer with one JSON value and nothing else.'
      : `Answer with one JSON value that fits this JSON Schema, and with nothing else:\n${JSON.stringify(schema)}`;
  return {
    ...rest,
    system: system === undefined || system === '' ? order : `${system}\n\n${order}`,
    ...optional('output', schema?.['type'] === 'object' ? schema : undefined), // providers take only objects
  };
}

const mostCandidates = 10;

/** The first value in the text that passes; else what is wrong with the likeliest one. */
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
    if (++count === mostCandidates) break;
  }
  if (fault !== undefined) return { fault };
  return { fault: text.trim() === '' ? 'The answer is empty.' : 'The answer is not valid JSON.' };
}

function faultOf(thrown: unknown): string {
  const faults = isAgentError(thrown) && isJsonObject(thrown.details) ? thrown.details['faults'] : undefined;
  return Array.isArray(faults) ? faults.map((fault) => `- ${String(fault)}`).join('\n') : reasonOf(thrown);
}

function repairTurns({ text, native }: ModelReply, fault: string): readonly Message[] {
  const order = `That answer cannot be used:\n${fault}\nAnswer again with the whole corrected JSON value and with nothing else.`;
  const said: Message = { role: 'assistant', text, ...optional('native', native) };
  return [...(text.trim() === '' ? [] : [said]), { role: 'user', text: order }];
}

const mostShown = 300; // characters of the answer

function badAnswer(model: string, fault: string, text: string): AgentError {
  const message = `${model} gave no fitting value in ${mostRepairs + 1} answers: ${fault.replace(/\s*\n(?:- )?/g, '; ').replace(/^- /, '')}`;
  return new AgentError('model.bad-answer', message.endsWith('.') ? message : `${message}.`, {
    hint: 'Use a stronger model, or a simpler schema.',
    details: { answer: text.slice(0, mostShown) },
  });
}
