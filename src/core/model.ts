import type { ErrorData } from './error.ts';
import type { Json, JsonObject } from './json.ts';

/** A name for a class of models, such as `plan` or `fast`; settings say which model it is. */
export type Tier = string;

/** A call that a model made. */
export interface ToolCall {
  /** Unique within the conversation; the result names it. */
  readonly id: string;
  readonly name: string;
  readonly input: Json;
}

/** One turn of a conversation. */
export type Message =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls?: readonly ToolCall[] }
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
}

/** Why a model stopped; honest whatever it said. */
export type StopReason = 'answer' | 'calls' | 'length' | 'refused' | 'aborted' | 'error';

/** What an answer cost. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; absent when the price is not known. */
  readonly cost?: number;
}

/** A piece of an answer; the last one is always an `end`. */
export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly call: ToolCall }
  | {
      readonly type: 'end';
      readonly reason: StopReason;
      readonly usage: Usage;
      readonly error?: ErrorData;
    };

/** A language model. One method, which never throws for the provider's trouble: that is its `end`. */
export interface Model {
  /** `provider/name`. */
  readonly id: string;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** A whole answer. */
export interface ModelReply {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly reason: StopReason;
  readonly usage: Usage;
  readonly error?: ErrorData;
}

/** Nothing was used. */
export const noUsage: Usage = { inputTokens: 0, outputTokens: 0 };

/** The whole answer of a stream; one that ends without an `end` was cut off. */
export async function collect(
  stream: AsyncIterable<ModelEvent>,
  onText: (text: string) => void = () => undefined,
): Promise<ModelReply> {
  let text = '';
  const calls: ToolCall[] = [];
  for await (const event of stream) {
    if (event.type === 'end') {
      const { reason, usage, error } = event;
      return { text, calls, reason, usage: checkedUsage(usage), ...(error === undefined ? {} : { error }) };
    }
    if (event.type === 'call') calls.push(event.call);
    else {
      text += event.text;
      onText(event.text);
    }
  }
  const error = { code: 'model.aborted', message: 'The answer was cut off before its end.' } as const;
  return { text, calls, reason: 'error', usage: noUsage, error };
}

/** A model of somebody else may leave counts out, or give none; a limit must not be switched off by that. */
function checkedUsage(usage: Partial<Usage> | undefined): Usage {
  const isCount = (value: unknown): value is number => Number.isFinite(value) && Number(value) >= 0;
  const { inputTokens, outputTokens, cost } = usage ?? {};
  return {
    inputTokens: isCount(inputTokens) ? inputTokens : 0,
    outputTokens: isCount(outputTokens) ? outputTokens : 0,
    ...(isCount(cost) ? { cost } : {}),
  };
}

/** The sum of two bills; its cost is known when that of either is. */
export function addUsage(one: Usage, other: Usage): Usage {
  const cost =
    one.cost === undefined && other.cost === undefined ? undefined : (one.cost ?? 0) + (other.cost ?? 0);
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    ...(cost === undefined ? {} : { cost }),
  };
}
