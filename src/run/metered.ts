import { canonicalJson } from '../core/canonical.ts';
import { AgentError, toErrorData } from '../core/error.ts';
import type { Json } from '../core/json.ts';
import {
  collect,
  noUsage,
  type Message,
  type Model,
  type ModelEvent,
  type ModelReply,
  type ModelRequest,
  type Tier,
} from '../core/model.ts';
import { createStreamRedactor } from '../core/redact-stream.ts';
import { overLimit } from './budget.ts';
import type { Execution } from './execution.ts';
import type { Frame } from './frame.ts';
import { contentKey } from './identity.ts';
import { mustBeOutside } from './inside.ts';
import { once } from './step.ts';

/**
 * The model of a tier as a skill gets it: each request is a step, counted and paid for. The answer comes whole,
 * once it is kept, so that what is used live is what a replay gives; its pieces go to listeners as they arrive.
 */
export function meteredModel(execution: Execution, frame: Frame, tier: Tier): Model {
  const model = execution.kernel.model(tier);
  return {
    id: model?.id ?? `${tier}/none`,
    async *stream(request, signal) {
      const asked = ask(execution, frame, { tier, model, request, signal });
      const reply = await asked.catch((thrown: unknown) => failed(thrown));
      if (reply.text !== '') yield { type: 'text', text: reply.text };
      for (const call of reply.calls) yield { type: 'call', call };
      yield endOf(reply);
    },
  };
}

interface Asked {
  readonly tier: Tier;
  readonly model: Model | undefined;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
}

async function ask(execution: Execution, frame: Frame, asked: Asked): Promise<ModelReply> {
  mustBeOutside(frame);
  const request = execution.clean({ tier: asked.tier, ...asked.request });
  const key = frame.occurrence(contentKey('model', request));
  const { messages } = request as unknown as ModelRequest;
  const kept = sharedStart(frame.lastMessages, messages);
  frame.lastMessages = messages;
  const { reply } = await once(execution, frame, {
    key,
    request,
    started: (begun) => ({
      type: 'model.started',
      ...begun,
      tier: asked.tier,
      model: asked.model?.id ?? '',
      kept,
      added: messages.slice(kept),
    }),
    effect: async (attempt) => {
      const made = await answer(execution, frame, { ...asked, key, attempt });
      frame.budget.spend(made.usage); // also for what cannot be kept
      return { type: 'model.ended', key, reply: keptOf(execution, made) };
    },
  });
  return reply ?? failed(new Error('a model step without a reply'));
}

const longestSecret = 256; // characters that a piece may lag behind

/** A reply as it may be kept; one that cannot be is a failure that was paid for. */
function keptOf(execution: Execution, reply: ModelReply): ModelReply {
  try {
    return execution.clean(reply) as unknown as ModelReply;
  } catch (thrown) {
    return { ...failed(thrown), usage: reply.usage, error: execution.cleanError(thrown) };
  }
}

/** Never throws: what keeps a model from answering is its answer. */
async function answer(
  execution: Execution,
  frame: Frame,
  asked: Asked & { readonly key: string; readonly attempt: number },
): Promise<ModelReply> {
  const { tier, model, request, key, attempt } = asked;
  try {
    const { steps } = frame.budget.limits;
    if ((execution.state.step(frame.id, key)?.ordinal ?? 0) > steps) {
      throw overLimit('limit.steps', `${steps} model steps in one frame`, 'steps');
    }
    frame.budget.checkSpending();
    if (model === undefined) return failed(noModel(tier));
    const shown = createStreamRedactor(execution.kernel.redact, longestSecret);
    const pass = (text: string): void => {
      if (text !== '') execution.journal.pass(frame.id, { type: 'model.delta', key, attempt, text });
    };
    const signal = AbortSignal.any([frame.signal, asked.signal]);
    const reply = await collect(model.stream(request, signal), (text) => {
      pass(shown.push(text));
    });
    pass(shown.end());
    return reply;
  } catch (thrown) {
    return failed(thrown);
  }
}

function failed(thrown: unknown): ModelReply {
  return { text: '', calls: [], reason: 'error', usage: noUsage, error: toErrorData(thrown) };
}

function noModel(tier: Tier): AgentError {
  return new AgentError('model.unavailable', `There is no model for the tier "${tier}".`, {
    hint: 'Give the agent a model for it.',
  });
}

function endOf({ reason, usage, error }: ModelReply): ModelEvent {
  return { type: 'end', reason, usage, ...(error === undefined ? {} : { error }) };
}

/** How many messages two conversations have in common from their start. */
function sharedStart(one: readonly Message[], other: readonly Message[]): number {
  const text = (message: Message): string => canonicalJson(message as unknown as Json);
  const differs = one.findIndex((message, index) => {
    const twin = other[index];
    return twin === undefined || text(message) !== text(twin);
  });
  return differs < 0 ? one.length : differs;
}
