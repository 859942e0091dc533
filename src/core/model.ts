import type { MessageAttachment } from './model/attachment.ts';
import { optional } from './collections.ts';
import { AgentError, fromErrorData, type ErrorData } from './error.ts';
import type { Json, JsonObject } from './json.ts';

/** Throws if a reply is not a complete answer because the model failed, refused or was cut off. */
export function mustAnswer({ id }: Model, { reason, error, model = id }: ModelReply): void {
  if (error !== undefined) throw fromErrorData(error);
  switch (reason) {
    case 'answer':
    case 'calls':
      return;
    case 'length':
      throw new AgentError('model.length', `The answer from ${model} was cut off at the maximum length.`, {
        hint: 'Allow more tokens, or request a shorter answer.',
      });
    case 'refused':
      throw new AgentError('model.refused', `${model} refused to answer.`, { hint: 'Rephrase the request.' });
    case 'aborted':
      throw new AgentError('model.aborted', `The request to ${model} was aborted.`);
    case 'error':
      throw new AgentError('model.failed', `${model} failed without giving a reason.`);
  }
}

/** The name of a class of models, such as `plan` or `fast`, that settings map to a model. */
export type Tier = string;

/** A tool call by a model. */
export interface ToolCall {
  /** An id that is unique within the conversation. The tool's result refers to it. */
  readonly id: string;
  readonly name: string;
  readonly input: Json;
  /** The reason why the input could not be parsed. If set, `input` contains the text that the model wrote. */
  readonly fault?: string;
}

/**
 * A turn in its provider's own format. It is sent back to that provider to preserve signatures and reasoning.
 */
export interface NativeTurn {
  /** The provider of the model that wrote the turn. Any other provider receives the plain turn. */
  readonly provider: string;
  readonly content: Json;
}

/** One turn of a conversation. */
export type Message =
  | {
      readonly role: 'user';
      readonly text: string;
      readonly attachments?: readonly MessageAttachment[];
    }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls?: readonly ToolCall[];
      readonly native?: NativeTurn;
    }
  | {
      readonly role: 'tool';
      readonly callId: string;
      readonly name: string;
      readonly text: string;
      readonly attachments?: readonly MessageAttachment[];
    };

/** A tool that a model may call. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of the tool's input. */
  readonly input: JsonObject;
}

/** A request to a model. */
export interface ModelRequest {
  readonly system?: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly Tool[];
  /** The JSON Schema that the entire answer must match. */
  readonly output?: JsonObject;
  /**
   * The reasoning effort: `none`, `minimal`, `low`, `medium`, `high`, `xhigh` or `max`. Default: the model's
   * default.
   */
  readonly effort?: string;
  readonly maxTokens?: number;
  /**
   * A key for the request within its frame. Default: derived from the request's content and the number of
   * identical requests before it. The key is not sent to models.
   */
  readonly key?: string;
  /**
   * Whether messages that users sent to the run since the last request may be appended to this one. This flag
   * is not sent to models.
   */
  readonly joins?: true;
}

/** The reason why a model stopped, regardless of the content of its answer. */
export type StopReason = 'answer' | 'calls' | 'length' | 'refused' | 'aborted' | 'error';

/** An answer's token usage and cost. */
export interface Usage {
  /** All input tokens, including those from a cache. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Input tokens read from a cache. */
  readonly cachedTokens?: number;
  /** Input tokens written to a cache. */
  readonly cacheWriteTokens?: number;
  /** The cost in US dollars. Absent if the price is unknown. */
  readonly cost?: number;
}

/** A failed attempt to get an answer. */
export interface FailedAttempt {
  /** The model's id, `provider/name`. */
  readonly model: string;
  readonly error: ErrorData;
}

/** An event in a streamed answer. The last event is always `end`. */
export type ModelEvent =
  /** The answer starts over, with the same model or another one. Discard everything received before. */
  | { readonly type: 'attempt'; readonly failed: FailedAttempt }
  /** Messages that were appended to the request. Precedes all other events. Only a scope's model sends it. */
  | { readonly type: 'joined'; readonly messages: readonly Message[] }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly call: ToolCall }
  | {
      readonly type: 'end';
      readonly reason: StopReason;
      /** The total usage of this attempt and all earlier ones. */
      readonly usage: Usage;
      readonly error?: ErrorData;
      /** The model that answered, if it is not the requested one. */
      readonly model?: string;
      readonly native?: NativeTurn;
    };

/**
 * A language model. A failure of the provider is never thrown while streaming; the `end` event reports it.
 */
export interface Model {
  /** The model's id, `provider/name`. */
  readonly id: string;
  /** The reason why the model cannot answer, if it is known before any request. */
  readonly fault?: ErrorData;
  /**
   * Checks whether the model can answer, if this is not known yet. Returns the reason why it cannot, or
   * undefined if it can. Never throws.
   */
  findFault?(): Promise<ErrorData | undefined>;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** A model's complete answer. */
export interface ModelReply {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly reason: StopReason;
  readonly usage: Usage;
  readonly error?: ErrorData;
  /** The model that answered, if it is not the requested one. */
  readonly model?: string;
  readonly native?: NativeTurn;
  /** The failed attempts before this answer. */
  readonly failed?: readonly FailedAttempt[];
  /** Messages that were appended to the request. */
  readonly joined?: readonly Message[];
}

/** The usage of a request that consumed no tokens. */
export const noUsage: Usage = { inputTokens: 0, outputTokens: 0 };

/**
 * Collects a stream into a complete answer. A stream that does not finish with an `end` event is treated as
 * cut off. `onRestart` is called when the text received so far must be discarded.
 */
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
  const error = { code: 'model.failed', message: 'The answer was cut off before it was complete.' } as const;
  return { text, calls, reason: 'error', usage: noUsage, error, ...rest() };
}

/**
 * Validates a usage record and adds missing counts. A third-party model can omit counts or report invalid
 * ones, which must not bypass a limit.
 */
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

/** Adds two usage records. A field that is present in only one record is kept. */
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
