import type { Model, ModelEvent, ModelReply, Tier } from '../core/model.ts';
import { optional } from '../core/optional.ts';
import { toErrorData } from '../core/error.ts';
import { answerModel, keptReply, noModel } from './answer-model.ts';
import type { AskedModel } from './asked-model.ts';
import { beginModel, wholeRequest } from './begin-model.ts';
import type { Execution } from './execution.ts';
import { failedReply } from './failed-reply.ts';
import type { Frame } from './frame.ts';
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
    name === undefined ? frame.occurrence(`model:${known.hash}`) : execution.cleanKey(`model:${name}`);
  const { reply } = await once(execution, frame, {
    key,
    request: known.hash,
    started: (begun, before) => beginModel(execution, frame, { ...asked, known, begun, before }),
    effect: async (attempt) => {
      const joined = execution.state.step(frame.id, key)?.joined ?? [];
      const messages = joined.length === 0 ? request.messages : [...request.messages, ...joined];
      const made = await answerModel(execution, frame, {
        ...asked,
        request: { ...seen, messages },
        ...{ key, attempt },
      });
      frame.budget.spend(made.usage); // also for what cannot be kept
      return { type: 'model.ended', key, reply: keptReply(execution, made) };
    },
  });
  const joined = execution.state.step(frame.id, key)?.joined;
  if (execution.state.lastAsked(frame.id) === key) {
    frame.lastMessages ??= wholeRequest(execution, request, joined); // an earlier process asked it
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
