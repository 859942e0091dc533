import { isAgentError, reasonOf, toErrorData, type ErrorData } from '../../core/error.ts';
import { checkedUsage, noUsage, type Model, type ModelEvent, type ModelRequest } from '../../core/model.ts';
import type { Usage } from '../../core/model.ts';
import { abortedEnd, failedEnd, type ModelEnd, type ModelPiece } from '../model-end.ts';
import { createWatch } from './watch.ts';

/**
 * Asks a model once: gives the pieces as they come and returns the end, whatever the model does. One that shows no
 * sign of life for `idleSeconds` while it is waited for is called off, so that its connection is closed.
 */
export async function* attempt(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
  idleSeconds: number,
): AsyncGenerator<ModelPiece, ModelEnd> {
  if (signal.aborted) return abortedEnd(noUsage); // it is not even asked
  const watch = createWatch(signal, idleSeconds * 1000);
  let events: AsyncIterator<ModelEvent> | undefined;
  const ended = (end: ModelEnd): ModelEnd =>
    watch.stopped === undefined ? end : stoppedEnd(model, watch.stopped, idleSeconds, end.usage);
  try {
    const stream = (events = model.stream(request, watch.signal)[Symbol.asyncIterator]());
    while (true) {
      const next = await watch.wait(() => stream.next());
      if (next === undefined || next.done === true) return ended(failedEnd(cutOff(model), noUsage));
      if (next.value.type === 'end') return ended({ ...next.value, usage: checkedUsage(next.value.usage) });
      if (watch.stopped === undefined) yield next.value;
    }
  } catch (thrown) {
    return ended(failedEnd(thrownBy(model, thrown), noUsage));
  } finally {
    watch.end();
    events?.return?.().catch(() => undefined); // a model that does not let go is left behind
  }
}

function stoppedEnd(model: Model, why: 'aborted' | 'idle', idleSeconds: number, usage: Usage): ModelEnd {
  if (why === 'aborted') return abortedEnd(usage);
  const error: ErrorData = {
    code: 'model.timeout',
    message: `${model.id} showed no sign of life for ${idleSeconds} ${idleSeconds === 1 ? 'second' : 'seconds'}.`,
    hint: 'Try again later, or allow more time.',
  };
  return failedEnd(error, usage);
}

function cutOff({ id }: Model): ErrorData {
  return {
    code: 'model.failed',
    message: `The answer of ${id} was cut off before its end.`,
    details: { passing: true },
  };
}

/** A model should not throw; what it throws is its failure all the same. */
function thrownBy({ id }: Model, thrown: unknown): ErrorData {
  if (isAgentError(thrown)) return toErrorData(thrown);
  return { code: 'model.failed', message: `${id} failed: ${reasonOf(thrown).replace(/\.?$/, '.')}` };
}
