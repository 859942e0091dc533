import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider';
import {
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

/** Turns the parts of one answer into events. */
interface ReplyReader {
  /** What the part says to the caller; nothing for most. */
  read(part: LanguageModelV4StreamPart): ModelEvent | undefined;
  /** Takes note of what was thrown on the way; the first fault counts. */
  fail(thrown: unknown): void;
  /** Whether the provider brought the answer to its end. */
  isFinished(): boolean;
  /** The last event, to be asked for once. */
  end(provider: string): ModelEvent;
}

/** A reader for one answer to these messages; ids of calls that were used before are changed. */
export function createReplyReader(
  asked: ModelTarget,
  price: Price | undefined,
  messages: readonly Message[],
): ReplyReader {
  const turn = createTurnCollector();
  const newIds = new Set<string>();
  let calls = 0;
  let finish: Finish | undefined;
  let error: ErrorData | undefined;

  const readCall = (part: CallPart): ModelEvent => {
    const id = unusedId(part.toolCallId, (wanted) => newIds.has(wanted) || isUsed(wanted, messages));
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
        return undefined; // sources, files, what the provider did by itself
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

function isUsed(wanted: string, messages: readonly Message[]): boolean {
  for (const message of messages) {
    if (message.role !== 'assistant' || message.calls === undefined) continue;
    for (const { id } of message.calls) if (id === wanted) return true;
  }
  return false;
}

function unusedId(wanted: string, isTaken: (id: string) => boolean): string {
  const base = wanted === '' ? 'call' : wanted;
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

/** What a provider counted, as our bill; without a price the provider's own figure is the cost where it states one. Pure. */
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

/** US dollars. */
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

// OpenRouter says in dollars what an answer cost.
function statedCost({ raw }: LanguageModelV4Usage): number | undefined {
  const cost = raw?.['cost'];
  return typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? cost : undefined;
}

function countOf(value: number | undefined): number {
  return value !== undefined && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}
