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
import { sharedMessages, type KnownMessage, type KnownRequest } from './sent-messages.ts';
import { takeSteering } from './steering.ts';
import { addNote, once, type Beginning } from './step.ts';

/**
 * The model of a tier as a skill gets it: each request is a step, counted and paid for. The answer comes whole,
 * once it is kept, so that what is used live is what a replay gives; its pieces go to listeners as they arrive.
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
  const { key: name, joins: _joins, ...seen } = request;
  const known = execution.messages.request(asked.tier, request);
  const key =
    name === undefined ? unnamedKey(execution, frame, known.hash) : execution.cleanKey(`model:${name}`);
  const { reply } = await once(execution, frame, {
    key,
    request: known.hash,
    mayBeReworded: true,
    started: (begun, before) => beginModel(execution, frame, { ...asked, known, begun, before }),
    effect: async (attempt) => {
      const joined = execution.state.step(frame.id, key)?.joined ?? [];
      const messages = joined.length === 0 ? request.messages : [...request.messages, ...joined];
      const made = await answerModel(execution, frame, {
        ...asked,
        request: { ...seen, messages },
        key,
        attempt,
      });
      frame.budget.spend(made.usage); // also for what cannot be kept
      return { type: 'model.ended', key, reply: keptReply(execution, made) };
    },
  });
  const recorded = execution.state.step(frame.id, key);
  const joined = recorded?.joined;
  if (execution.state.lastAsked(frame.id) === key && frame.lastMessages === undefined) {
    frame.lastMessages = wholeRequest(execution, request, joined); // an earlier process asked it
    frame.isReworded = recorded?.request !== hashOf(known.hash);
  }
  return reply === undefined
    ? failedReply(new Error('a model step without a reply'))
    : { ...reply, ...optional('joined', joined) };
}

/** A reply as the pieces of a stream. */
function* eventsOf(reply: ModelReply): Generator<ModelEvent> {
  const { text, calls, joined, failed: attempts = [], ...end } = reply;
  if (joined !== undefined) yield { type: 'joined', messages: joined };
  for (const attempt of attempts) yield { type: 'attempt', failed: attempt };
  if (text !== '') yield { type: 'text', text };
  for (const call of calls) yield { type: 'call', call };
  yield { type: 'end', ...end };
}

/** What stands in the log when a model is asked: only what its frame did not ask before, and what joins. */
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
  frame.lastMessages = wholeRequest(execution, request, messages); // in the order of the log, as nothing is waited for
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

/** What joined before a crash joins again; something new can join only a request that is new. */
async function joining(
  execution: Execution,
  frame: Frame,
  { joins }: ModelRequest,
  before: KnownStep | undefined,
): ReturnType<typeof takeSteering> {
  if (before !== undefined) return { messages: before.joined ?? [], taken: [] };
  return joins === true ? takeSteering(execution, frame) : { messages: [], taken: [] };
}

/** What a model is asked, with what joined it. */
function wholeRequest(
  { messages }: Execution,
  request: ModelRequest,
  joined: readonly Message[] = [],
): readonly KnownMessage[] {
  return messages.conversation([...request.messages, ...joined]);
}

const longestSecret = 256; // characters that a piece may lag behind

/** A reply as it may be kept; one that cannot be is a failure that was paid for. */
function keptReply(execution: Execution, reply: ModelReply): ModelReply {
  try {
    return execution.clean(reply) as unknown as ModelReply;
  } catch (thrown) {
    return { ...failedReply(thrown), usage: reply.usage, error: execution.cleanError(thrown) };
  }
}

/** Never throws: what keeps a model from answering is its answer. */
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
    const signal = AbortSignal.any([frame.signal, asked.signal]);
    const reply = await collect(
      model.stream(request, signal),
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

/** A limit that does not count everything must not look as if it did. */
function noteUnpriced(execution: Execution, frame: Frame, model: string, usage: Usage): void {
  const isFree = usage.cost !== undefined || usage.inputTokens + usage.outputTokens === 0;
  if (isFree || frame.budget.limits.money === undefined || frame.unpriced.has(model)) return;
  frame.unpriced.add(model);
  const message = `The price of ${model} is not known, so the limit on money does not count it.`;
  addNote(execution, frame, message, undefined);
}

/** The failure of a tier for which there is no model. */
function noModel(tier: Tier): AgentError {
  return new AgentError('model.unavailable', `There is no model for the tier "${tier}".`, {
    hint: 'Give the agent a model for it.',
  });
}

/** A request to the model of a tier. */
interface AskedModel {
  readonly tier: Tier;
  readonly model: Model | undefined;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
}

/** What keeps a model from answering, as its answer. */
function failedReply(thrown: unknown): ModelReply {
  return { text: '', calls: [], reason: 'error', usage: noUsage, error: toErrorData(thrown) };
}
