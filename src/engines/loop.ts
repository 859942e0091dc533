import type { ErrorData } from '../core/error.ts';
import { collect, type Message, type ModelReply, type Tier } from '../core/model.ts';
import { optional } from '../core/optional.ts';
import type { Scope } from '../core/scope.ts';
import { runCalls } from './loop/calls.ts';
import { compact, type Compacting } from './loop/compact.ts';
import { Conversation } from './loop/conversation.ts';
import { endFor, loopError, type LoopEnd } from './loop/end.ts';
import { explainReferences, type Results } from './loop/references.ts';
import { createRepetition } from './loop/repetition.ts';
import { skillTools, type LoopTool } from './loop/tools.ts';

/** What a loop is to do, and how far it may go. */
export interface LoopRequest {
  readonly system?: string;
  /** What is asked, or a conversation that ends with it. */
  readonly prompt: string | readonly Message[];
  /** What the model may call. Default: the skills that the caller may call. */
  readonly tools?: readonly LoopTool[];
  /** The role, tier or model that is asked. Default `execution`. */
  readonly tier?: Tier;
  readonly effort?: string;
  /** Model steps at most; the limits of the frame count all the same. Default 20. */
  readonly maxSteps?: number;
  /** Steps in a row of which every call failed, after which it gives up. Default 5. */
  readonly maxErrors?: number;
  /** Results of earlier loops that may be referred to, by name. */
  readonly results?: Results;
  /** About how many tokens the conversation may have before older turns are summarised. Default 80,000. */
  readonly compactAt?: number;
  /** How many of the last messages a summary leaves whole. Default 8. */
  readonly keepRecent?: number;
  /** Tells the loops of one frame apart; needed from the second one on. */
  readonly name?: string;
  /** Calls off this loop alone: the model at once, calls when they have ended. */
  readonly signal?: AbortSignal;
}

/**
 * Asks a model, makes the calls that it wants, and asks again, until it answers. All that it learns comes from the
 * scope, so a loop that was killed goes on where it was, with the same conversation and no call made twice.
 */
export async function runLoop(scope: Scope, request: LoopRequest): Promise<LoopEnd> {
  const { maxSteps = 20, maxErrors = 5, name = '', signal = scope.signal } = request;
  const tools = request.tools ?? skillTools(scope.callable, scope);
  const conversation = new Conversation(request.prompt, request.results);
  const repetition = createRepetition();
  const prefix = name === '' ? '' : `${name}.`;
  const compacting = compactingOf(request, tools);
  const ask = asker(scope, request, tools);
  let errors = 0;
  let isNudged = false;
  for (let turn = 1; turn <= maxSteps; turn += 1) {
    if (isAborted(signal)) return endFor(conversation, turn - 1, { reason: 'interrupted' });
    await compact(scope, conversation, compacting, { key: `${prefix}s${turn}`, signal });
    const reply = await ask(conversation, `${prefix}m${turn}`, signal);
    conversation.add(...(reply.joined ?? []));
    if (reply.error?.code === 'model.too-long') {
      const urgent = { key: `${prefix}u${turn}`, isUrgent: true, signal };
      if (await compact(scope, conversation, compacting, urgent)) continue;
    }
    if (reply.error !== undefined || !isWhole(reply)) {
      return endFor(conversation, turn, stoppedBy(reply, signal));
    }
    if (reply.calls.length === 0 && reply.text.trim() === '') {
      if (isNudged) return endFor(conversation, turn, { reason: 'failed', error: loopError.empty });
      isNudged = true;
      conversation.add({ role: 'user', text: 'Your answer was empty. Answer, or call a tool.' });
      continue;
    }
    isNudged = false;
    conversation.add(turnOf(reply));
    if (reply.calls.length === 0) return endFor(conversation, turn, { reason: 'answered' });
    if (turn === maxSteps) {
      conversation.addUnmade(reply.calls);
      break;
    }
    const made = await runCalls(scope, {
      tools,
      calls: reply.calls,
      conversation,
      key: `${prefix}c${turn}.`,
    });
    if (isAborted(signal)) return endFor(conversation, turn, { reason: 'interrupted' });
    if (repetition.isStuck(made))
      return endFor(conversation, turn, { reason: 'loop', error: loopError.loop });
    errors = made.every(({ output }) => output.status === 'failed') ? errors + 1 : 0;
    if (errors >= maxErrors) {
      return endFor(conversation, turn, { reason: 'error-limit', error: loopError.errors(maxErrors) });
    }
  }
  return endFor(conversation, maxSteps, { reason: 'step-limit', error: loopError.steps(maxSteps) });
}

type Ask = (conversation: Conversation, key: string, signal: AbortSignal) => Promise<ModelReply>;

/** The parts of every request that stay the same are made once. */
function asker(scope: Scope, request: LoopRequest, tools: readonly LoopTool[]): Ask {
  const { tier = 'execution', effort } = request;
  const system = [request.system, tools.length === 0 ? undefined : explainReferences].filter(
    (part) => part !== undefined,
  );
  const offered = tools.map(({ name, description, input }) => ({ name, description, input }));
  const same = {
    ...(system.length === 0 ? {} : { system: system.join('\n\n') }),
    ...(offered.length === 0 ? {} : { tools: offered }),
    ...optional('effort', effort),
    joins: true,
  } as const;
  return (conversation, key, signal) =>
    collect(scope.model(tier).stream({ ...same, messages: [...conversation.messages], key }, signal));
}

function compactingOf(request: LoopRequest, tools: readonly LoopTool[]): Compacting {
  const { compactAt = 80_000, keepRecent = 8 } = request;
  const kept = new Set(tools.filter(({ keeps }) => keeps === true).map(({ name }) => name));
  return { compactAt, keepRecent, kept };
}

/** Asked anew each time: it changes while others work. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** Whether the model came to the end of what it wanted to say. */
function isWhole({ reason }: ModelReply): boolean {
  return reason === 'answer' || reason === 'calls';
}

function turnOf({ text, calls, native }: ModelReply): Message {
  return {
    role: 'assistant',
    text,
    ...(calls.length === 0 ? {} : { calls }),
    ...optional('native', native),
  };
}

/** Why a reply ends the loop; what it had said so far is told as well. */
function stoppedBy(
  reply: ModelReply,
  signal: AbortSignal,
): Omit<LoopEnd, 'text' | 'messages' | 'results' | 'steps'> & {
  readonly said?: string;
} {
  const said = optional('said', reply.text === '' ? undefined : reply.text);
  if (reply.reason === 'aborted' || signal.aborted) return { reason: 'interrupted', ...said };
  const error: ErrorData = reply.error ?? loopError.stopped(reply.reason);
  if (error.code === 'limit.steps') return { reason: 'step-limit', error, ...said };
  if (error.code === 'limit.tokens' || error.code === 'limit.money')
    return { reason: 'budget', error, ...said };
  return { reason: 'failed', error, ...said };
}
