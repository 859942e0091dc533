import { AgentError } from '../core/error.ts';
import { collect, type ModelReply, type Tier, type Usage } from '../core/model.ts';
import { createStreamRedactor, type StreamRedactor } from '../core/redact-stream.ts';
import type { AskedModel } from './asked-model.ts';
import { overLimit } from './budget.ts';
import type { Execution } from './execution.ts';
import { failedReply } from './failed-reply.ts';
import type { Frame } from './frame.ts';
import { addNote } from './note.ts';

const longestSecret = 256; // characters that a piece may lag behind

/** A reply as it may be kept; one that cannot be is a failure that was paid for. */
export function keptReply(execution: Execution, reply: ModelReply): ModelReply {
  try {
    return execution.clean(reply) as unknown as ModelReply;
  } catch (thrown) {
    return { ...failedReply(thrown), usage: reply.usage, error: execution.cleanError(thrown) };
  }
}

/** Never throws: what keeps a model from answering is its answer. */
export async function answerModel(
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
export function noModel(tier: Tier): AgentError {
  return new AgentError('model.unavailable', `There is no model for the tier "${tier}".`, {
    hint: 'Give the agent a model for it.',
  });
}
