import { optional } from './collections.ts';
import { AgentError, fromErrorData, type ErrorData } from './error.ts';
import type { Json, JsonObject } from './json.ts';

/** Throws why a reply is no whole answer: the failure of the model, a refusal, or an answer that was cut off. */
export function mustAnswer({ id }: Model, { reason, error, model = id }: ModelReply): void {
  if (error !== undefined) throw fromErrorData(error);
  switch (reason) {
    case 'answer':
    case 'calls':
      return;
    case 'length':
      throw new AgentError('model.length', `The answer of ${model} was cut off at its greatest length.`, {
        hint: 'Allow more tokens, or ask for less.',
      });
    case 'refused':
      throw new AgentError('model.refused', `${model} refused to answer.`, { hint: 'Ask in another way.' });
    case 'aborted':
      throw new AgentError('model.aborted', `${model} was called off.`);
    case 'error':
      throw new AgentError('model.failed', `${model} failed without saying why.`);
  }
}

/** A name for a class of models, such as `plan` or `fast`; settings say which model it is. */
export type Tier = string;

/** A call that a model made. */
export interface ToolCall {
  /** Unique within the conversation; the result names it. */
  readonly id: string;
  readonly name: string;
  readonly input: Json;
  /** Why its input could not be read; `input` is the text as the model wrote it then. */
  readonly fault?: string;
}

/** A turn as its provider wrote it, given back to that provider so that signatures and reasoning are not lost. */
export interface NativeTurn {
  /** Of the model; another one gets the plain turn. */
  readonly provider: string;
  readonly content: Json;
}

/** One turn of a conversation. */
export type Message =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls?: readonly ToolCall[];
      readonly native?: NativeTurn;
    }
  | { readonly role: 'tool'; readonly callId: string; readonly name: string; readonly text: string };

/** Something that a model may call. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly input: JsonObject;
}

/** What a model is asked. */
export interface ModelRequest {
  readonly system?: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly Tool[];
  /** JSON Schema that the whole answer must fit. */
  readonly output?: JsonObject;
  readonly effort?: string;
  readonly maxTokens?: number;
  /** Tells it from the other requests of a frame; its content and occurrence unless given. Models do not see it. */
  readonly key?: string;
  /** Messages that people sent to the run meanwhile may join at the end. Models do not see it. */
  readonly joins?: true;
}

/** Why a model stopped; honest whatever it said. */
export type StopReason = 'answer' | 'calls' | 'length' | 'refused' | 'aborted' | 'error';

/** What an answer cost. */
export interface Usage {
  /** All of them, those from a cache included. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Those of the input that a cache had. */
  readonly cachedTokens?: number;
  /** Those of the input that were written to a cache. */
  readonly cacheWriteTokens?: number;
  /** US dollars; absent when the price is not known. */
  readonly cost?: number;
}

/** Why an attempt to get an answer came to nothing. */
export interface FailedAttempt {
  /** `provider/name`. */
  readonly model: string;
  readonly error: ErrorData;
}

/** A piece of an answer; the last one is always an `end`. */
export type ModelEvent =
  /** The answer begins anew, with this or another model: everything before is void. */
  | { readonly type: 'attempt'; readonly failed: FailedAttempt }
  /** Messages that joined the end of the request; before anything else, and only from the model of a scope. */
  | { readonly type: 'joined'; readonly messages: readonly Message[] }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly call: ToolCall }
  | {
      readonly type: 'end';
      readonly reason: StopReason;
      /** Of this attempt and of those before it. */
      readonly usage: Usage;
      readonly error?: ErrorData;
      /** Which one answered, when it is not the one that was asked. */
      readonly model?: string;
      readonly native?: NativeTurn;
    };

/** A language model. One method, which never throws for the provider's trouble: that is its `end`. */
export interface Model {
  /** `provider/name`. */
  readonly id: string;
  /** Why it cannot answer, where that is known before it is asked. */
  readonly fault?: ErrorData;
  /** Finds out why it cannot answer, where that is not known before; undefined when it can. Never throws. */
  findFault?(): Promise<ErrorData | undefined>;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** A whole answer. */
export interface ModelReply {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly reason: StopReason;
  readonly usage: Usage;
  readonly error?: ErrorData;
  /** Which one answered, when it is not the one that was asked. */
  readonly model?: string;
  readonly native?: NativeTurn;
  /** The attempts before this one. */
  readonly failed?: readonly FailedAttempt[];
  /** Messages that joined the end of the request. */
  readonly joined?: readonly Message[];
}

/** Nothing was used. */
export const noUsage: Usage = { inputTokens: 0, outputTokens: 0 };

/** The whole answer of a stream; one that ends without an `end` was cut off. `onRestart` hears that the text so far is void. */
export async function collect(
  stream: AsyncIterable<ModelEvent>,
  onText: (text: string) => void = () => undefined,
  onRestart: () => void = () => undefined,
): Promise<ModelReply> {
  let text = '';
  let calls: ToolCall[] = [];
  let joined: readonly Message[] | undefined;
  const failed: FailedAttempt[] = [];
  const rest = (): Pick<ModelReply, 'failed' | 'joined'> => ({
    ...(failed.length === 0 ? {} : { failed }),
    ...optional('joined', joined),
  });
  for await (const event of stream) {
    switch (event.type) {
      case 'end': {
        const { type: _type, usage, ...end } = event;
        return { text, calls, ...end, usage: checkedUsage(usage), ...rest() };
      }
      case 'call':
        calls.push(event.call);
        break;
      case 'joined':
        joined = event.messages;
        break;
      case 'attempt':
        failed.push(event.failed);
        text = '';
        calls = [];
        onRestart();
        break;
      default:
        text += event.text;
        onText(event.text);
    }
  }
  const error = { code: 'model.failed', message: 'The answer was cut off before its end.' } as const;
  return { text, calls, reason: 'error', usage: noUsage, error, ...rest() };
}

/** A bill without gaps: a model of somebody else may leave counts out, or give none, and no limit may be switched off by that. */
export function checkedUsage(usage: Partial<Usage> | undefined): Usage {
  const { inputTokens, outputTokens, cachedTokens, cacheWriteTokens, cost } = usage ?? {};
  return {
    inputTokens: countOf(inputTokens) ?? 0,
    outputTokens: countOf(outputTokens) ?? 0,
    ...optional('cachedTokens', countOf(cachedTokens)),
    ...optional('cacheWriteTokens', countOf(cacheWriteTokens)),
    ...optional('cost', countOf(cost)),
  };
}

function countOf(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** The sum of two bills; what only one of them knows is known. */
export function addUsage(one: Usage, other: Usage): Usage {
  const sum = (name: 'cachedTokens' | 'cacheWriteTokens' | 'cost'): number | undefined =>
    one[name] === undefined && other[name] === undefined ? undefined : (one[name] ?? 0) + (other[name] ?? 0);
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    ...optional('cachedTokens', sum('cachedTokens')),
    ...optional('cacheWriteTokens', sum('cacheWriteTokens')),
    ...optional('cost', sum('cost')),
  };
}
