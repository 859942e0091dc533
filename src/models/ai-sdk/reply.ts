import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider';
import {
  countShared,
  noUsage,
  optional,
  type ErrorData,
  type Message,
  type ModelEvent,
  type Price,
  type StopReason,
  type ToolCall,
  type Usage,
} from '../../core/index.ts';
import { cutOff, endedAsFailed, toErrorData } from './error-data.ts';
import type { ModelTarget } from './failures.ts';
import { createTurnCollector, readCallInput } from './turn.ts';

type Finish = LanguageModelV4StreamPart & { readonly type: 'finish' };
type CallPart = LanguageModelV4StreamPart & { readonly type: 'tool-call' };

/** Converts the parts of one response to model events. */
interface ReplyReader {
  /** Returns the event for a part, or undefined if the part produces no event. */
  read(part: LanguageModelV4StreamPart): ModelEvent | undefined;
  /** Records an error. Only the first recorded error is reported. */
  fail(thrown: unknown): void;
  /** Returns whether the provider completed the response. */
  isFinished(): boolean;
  /** Returns the response's last event. Call this only once. */
  end(provider: string): ModelEvent;
}

/** Creates a reader for a response. Replaces call ids that the conversation already uses. */
export function createReplyReader(
  asked: ModelTarget,
  price: Price | undefined,
  isUsed: (id: string) => boolean,
): ReplyReader {
  const turn = createTurnCollector();
  const newIds = new Set<string>();
  let calls = 0;
  let finish: Finish | undefined;
  let error: ErrorData | undefined;

  const readCall = (part: CallPart): ModelEvent => {
    const id = unusedId(part.toolCallId, (candidate) => newIds.has(candidate) || isUsed(candidate));
    newIds.add(id);
    calls++;
    const call: ToolCall = { id, name: part.toolName, ...readCallInput(part.input) };
    turn.call(call, part.providerMetadata);
    return { type: 'call', call };
  };

  const readContent = (part: LanguageModelV4StreamPart): ModelEvent | undefined => {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        turn.begin(kindOf(part), part.id, part.providerMetadata);
        return undefined;
      case 'text-delta':
        turn.add('text', part.id, part.delta, part.providerMetadata);
        return part.delta === '' ? undefined : { type: 'text', text: part.delta };
      case 'reasoning-delta':
        turn.add('reasoning', part.id, part.delta, part.providerMetadata);
        return undefined;
      case 'text-end':
      case 'reasoning-end':
        turn.add(kindOf(part), part.id, '', part.providerMetadata);
        return undefined;
      case 'tool-call':
        return part.providerExecuted === true ? undefined : readCall(part);
      default:
        return undefined; // Ignore sources, files, and tools that the provider ran itself.
    }
  };

  return {
    read(part) {
      if (part.type === 'finish') finish = part;
      else if (part.type === 'error') error ??= toErrorData(part.error, asked);
      else if (error === undefined) return readContent(part);
      return undefined;
    },
    fail(thrown) {
      error ??= toErrorData(thrown, asked);
    },
    isFinished: () => finish !== undefined,
    end(provider) {
      const fault = error ?? faultOf(finish, asked);
      const reason = fault === undefined ? reasonOf(finish, calls) : 'error';
      const native = fault === undefined ? turn.native(provider) : undefined;
      return {
        type: 'end',
        reason,
        usage: toUsage(finish?.usage, price),
        ...optional('error', fault),
        ...optional('native', native),
      };
    },
  };
}

function kindOf({ type }: { readonly type: `${'text' | 'reasoning'}-${string}` }): 'text' | 'reasoning' {
  return type.startsWith('text') ? 'text' : 'reasoning';
}

/**
 * Creates a function that returns whether messages contain a call with an id. The calls of a conversation that
 * grows are read only once.
 */
export function createUsedIds(): (messages: readonly Message[], id: string) => boolean {
  let known: { readonly messages: readonly Message[]; readonly ids: Set<string> } = {
    messages: [],
    ids: new Set(),
  };
  return (messages, id) => {
    const isLonger = countShared(known.messages, messages) === known.messages.length;
    const { ids, messages: before } = isLonger ? known : { ids: new Set<string>(), messages: [] };
    if (before.length === messages.length) return ids.has(id);
    for (const message of messages.slice(before.length)) {
      if (message.role !== 'assistant') continue;
      for (const call of message.calls ?? []) ids.add(call.id);
    }
    known = { messages: [...messages], ids };
    return ids.has(id);
  };
}

function unusedId(preferred: string, isTaken: (id: string) => boolean): string {
  const base = preferred === '' ? 'call' : preferred;
  let id = base;
  for (let count = 2; isTaken(id); count++) id = `${base}-${count}`;
  return id;
}

function faultOf(finish: Finish | undefined, asked: ModelTarget): ErrorData | undefined {
  if (finish === undefined) return cutOff(asked);
  const { unified, raw } = finish.finishReason;
  if (unified === 'interrupted') return cutOff(asked);
  return unified === 'error' || raw === 'error' ? endedAsFailed(raw, asked) : undefined;
}

function reasonOf(finish: Finish | undefined, calls: number): StopReason {
  if (calls > 0) return 'calls';
  const said = finish?.finishReason.unified;
  if (said === 'length') return 'length';
  return said === 'content-filter' ? 'refused' : 'answer';
}

/**
 * Converts the provider's token counts to usage. If the price is unknown, uses the cost that the provider
 * reported. Pure.
 */
function toUsage(counted: LanguageModelV4Usage | undefined, price: Price | undefined): Usage {
  if (counted === undefined) return noUsage;
  const { total, noCache, cacheRead, cacheWrite } = counted.inputTokens;
  const cached = countOf(cacheRead);
  const written = countOf(cacheWrite);
  const usage: Usage = {
    inputTokens: countOf(total) || countOf(noCache) + cached + written,
    outputTokens: countOf(counted.outputTokens.total),
    ...(cached > 0 ? { cachedTokens: cached } : {}),
    ...(written > 0 ? { cacheWriteTokens: written } : {}),
  };
  const cost = price === undefined ? statedCost(counted) : costOf(usage, price);
  return cost === undefined ? usage : { ...usage, cost };
}

/** Returns the cost of a response, in US dollars. */
function costOf(usage: Usage, price: Price): number {
  const { inputTokens, outputTokens, cachedTokens = 0, cacheWriteTokens = 0 } = usage;
  const others = Math.max(0, inputTokens - cachedTokens - cacheWriteTokens);
  const sum =
    others * price.input +
    cachedTokens * (price.cached ?? price.input) +
    cacheWriteTokens * (price.cacheWrite ?? price.input) +
    outputTokens * price.output;
  return sum / 1_000_000;
}

// Returns the cost that the provider reported, in US dollars. Only OpenRouter reports it.
function statedCost({ raw }: LanguageModelV4Usage): number | undefined {
  const cost = raw?.['cost'];
  return typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? cost : undefined;
}

function countOf(value: number | undefined): number {
  return value !== undefined && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}
