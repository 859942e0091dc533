import {
  AgentError,
  collect,
  createStreamRedactor,
  hashOf,
  noUsage,
  optional,
  toErrorData,
  type Begun,
  type Message,
  type Model,
  type ModelEvent,
  type ModelReply,
  type ModelRequest,
  type StreamRedactor,
  type Tier,
  type Usage,
} from '../../core/index.ts';
import { overLimit } from '../calls/budget.ts';
import type { Frame } from '../calls/frame.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { mustBeOutside, unnamedKey } from '../log/replay.ts';
import type { KnownStep } from '../log/run-state.ts';
import { withAttachments } from './attachments.ts';
import { sharedMessages, type KnownMessage, type KnownRequest } from './sent-messages.ts';
import { takeSteering } from './steering.ts';
import { addNote, once, type Beginning } from './step.ts';

/**
 * Returns a tier's model for a skill. Each request is a recorded step and counts towards the limits. The
 * skill receives the response once it is stored, so that replays are identical. Listeners receive chunks as
 * they arrive.
 */
export function meteredModel(execution: Execution, frame: Frame, tier: Tier): Model {
  const model = execution.kernel.model(tier);
  return {
    id: model?.id ?? `${tier}/none`,
    ...optional('fault', model === undefined ? toErrorData(noModel(tier)) : model.fault),
    async *stream(request, signal) {
      const asked = ask(execution, frame, { tier, model, request, signal });
      const reply = await asked.catch((thrown: unknown) => failedReply(thrown));
      yield* eventsOf(reply);
    },
  };
}

async function ask(execution: Execution, frame: Frame, asked: AskedModel): Promise<ModelReply> {
  mustBeOutside(frame);
  const { request } = asked;
  if (request.joins === true) frame.isSteered = true;
  const { key: name, joins: _joins, ...rest } = request;
  const known = execution.messages.request(asked.tier, request);
  const key =
    name === undefined ? unnamedKey(execution, frame, known.hash) : execution.cleanKey(`model:${name}`);
  const { reply } = await once(execution, frame, {
    key,
    request: known.hash,
    mayBeReworded: true,
    mayRepeat: true,
    started: (begun, before) => beginModel(execution, frame, { ...asked, known, begun, before }),
    effect: async (attempt) => {
      const joined = execution.state.step(frame.id, key)?.joined ?? [];
      const messages = joined.length === 0 ? request.messages : [...request.messages, ...joined];
      const answer = await answerModel(execution, frame, {
        ...asked,
        request: { ...rest, messages },
        key,
        attempt,
      });
      frame.budget.spend(answer.usage); // Count the cost even if the reply cannot be stored.
      return { type: 'model.ended', key, reply: cleanReply(execution, answer) };
    },
  });
  const recorded = execution.state.step(frame.id, key);
  const joined = recorded?.joined;
  if (execution.state.lastAsked(frame.id) === key && frame.lastMessages === undefined) {
    frame.lastMessages = wholeRequest(execution, request, joined); // Another process sent this request.
    frame.isReworded = recorded?.request !== hashOf(known.hash);
  }
  return reply === undefined
    ? failedReply(new Error('a model step without a reply'))
    : { ...reply, ...optional('joined', joined) };
}

/** Yields a reply as stream events. */
function* eventsOf(reply: ModelReply): Generator<ModelEvent> {
  const { text, calls, joined, failed: attempts = [], ...end } = reply;
  if (joined !== undefined) yield { type: 'joined', messages: joined };
  for (const attempt of attempts) yield { type: 'attempt', failed: attempt };
  if (text !== '') yield { type: 'text', text };
  for (const call of calls) yield { type: 'call', call };
  yield { type: 'end', ...end };
}

/**
 * Creates the event for a model request. The event contains only messages that this frame has not sent
 * before.
 */
async function beginModel(
  execution: Execution,
  frame: Frame,
  asked: AskedModel & {
    readonly known: KnownRequest;
    readonly begun: Begun;
    readonly before: KnownStep | undefined;
  },
): Promise<Beginning> {
  const { tier, model, request, known, begun, before } = asked;
  const { messages, taken } = await joining(execution, frame, request, before);
  const kept = frame.isReworded ? 0 : sharedMessages(frame.lastMessages ?? [], known.messages);
  frame.isReworded = false;
  // From here on, do not `await`, so that the log keeps the order of the messages.
  frame.lastMessages = messages.length === 0 ? known.messages : wholeRequest(execution, request, messages);
  const event = {
    type: 'model.started',
    ...begun,
    tier,
    model: model?.id ?? '',
    kept,
    added: known.messages.slice(kept).map(({ clean }) => clean),
    ...(messages.length === 0 ? {} : { joined: messages }),
  } as const;
  return { event, entries: taken };
}

/**
 * Returns the user messages to add to a request. After a crash, returns the same messages again. Returns new
 * messages only for new requests.
 */
async function joining(
  execution: Execution,
  frame: Frame,
  { joins }: ModelRequest,
  before: KnownStep | undefined,
): ReturnType<typeof takeSteering> {
  if (before !== undefined) return { messages: before.joined ?? [], taken: [] };
  return joins === true ? takeSteering(execution, frame) : { messages: [], taken: [] };
}

/** Combines a request with the user messages that were added to it. */
function wholeRequest(
  { messages }: Execution,
  request: ModelRequest,
  joined: readonly Message[] = [],
): readonly KnownMessage[] {
  return messages.conversation([...request.messages, ...joined]);
}

// The maximum number of streamed characters to hold back, because they could be part of a secret.
const longestSecret = 256;

/**
 * Converts a reply to its stored form. A reply that cannot be stored becomes a failure, but its cost is still
 * counted.
 */
function cleanReply(execution: Execution, reply: ModelReply): ModelReply {
  try {
    return execution.clean(reply) as unknown as ModelReply;
  } catch (thrown) {
    return { ...failedReply(thrown), usage: reply.usage, error: execution.cleanError(thrown) };
  }
}

/** Calls the model. Never throws; an error becomes a failed reply. */
async function answerModel(
  execution: Execution,
  frame: Frame,
  asked: AskedModel & { readonly key: string; readonly attempt: number },
): Promise<ModelReply> {
  const { tier, model, request, key } = asked;
  try {
    const { steps } = frame.budget.limits;
    if ((execution.state.step(frame.id, key)?.ordinal ?? 0) > steps) {
      throw overLimit('limit.steps', `${steps} model steps in one frame`, 'steps');
    }
    frame.budget.checkSpending();
    if (model === undefined) return failedReply(noModel(tier));
    const { attempt } = asked;
    const open = (): StreamRedactor => createStreamRedactor(execution.kernel.redact, longestSecret);
    let shown = open();
    let restarts = 0;
    const pass = (text: string): void => {
      if (text === '') return;
      execution.journal.pass(frame.id, { type: 'model.delta', key, attempt: attempt + restarts, text });
    };
    const signal =
      asked.signal === frame.signal ? frame.signal : AbortSignal.any([frame.signal, asked.signal]);
    const messages = await withAttachments(execution, request.messages);
    const reply = await collect(
      model.stream({ ...request, messages }, signal),
      (text) => {
        pass(shown.push(text));
      },
      () => {
        shown = open();
        restarts += 1;
      },
    );
    pass(shown.end());
    noteUnpriced(execution, frame, reply.model ?? model.id, reply.usage);
    return reply;
  } catch (thrown) {
    return failedReply(thrown);
  }
}

/** Reports a model without a known price, because the cost limit cannot include its cost. */
function noteUnpriced(execution: Execution, frame: Frame, model: string, usage: Usage): void {
  const isFree = usage.cost !== undefined || usage.inputTokens + usage.outputTokens === 0;
  if (isFree || frame.budget.limits.cost === undefined || frame.unpriced.has(model)) return;
  frame.unpriced.add(model);
  const message = `The price of ${model} is unknown, so its usage does not count toward the cost limit.`;
  addNote(execution, frame, message, undefined);
}

/** Returns the error for a tier without a model. */
function noModel(tier: Tier): AgentError {
  return new AgentError('model.unavailable', `No model is configured for the tier "${tier}".`, {
    hint: 'Configure a model for this tier.',
  });
}

/** A request to a tier's model. */
interface AskedModel {
  readonly tier: Tier;
  readonly model: Model | undefined;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
}

/** Returns a failed reply for an error. */
function failedReply(thrown: unknown): ModelReply {
  return { text: '', calls: [], reason: 'error', usage: noUsage, error: toErrorData(thrown) };
}
