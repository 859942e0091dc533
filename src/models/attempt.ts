import {
  AgentError,
  checkedUsage,
  isAgentError,
  noUsage,
  onAbort,
  reasonOf,
  timer,
  toErrorData,
  type ErrorData,
  type Model,
  type ModelEvent,
  type ModelRequest,
  type Usage,
} from '../core/index.ts';
import { abortedEnd, failedEnd, type ModelEnd, type ModelPiece } from './model-end.ts';

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

const grace = 500; // milliseconds that a model which was called off has to say what it used

const over = new AgentError('model.aborted', 'The answer is over.'); // made once: there is one end for each answer

/** Decides when one attempt is to stop. */
interface Watch {
  /** Stops the model. */
  readonly signal: AbortSignal;
  /** Why it was stopped: its caller called it off, or nothing came from it. */
  readonly stopped: 'aborted' | 'idle' | undefined;
  /** What the work gives; undefined when it was stopped and did not end soon. Silence counts only in here. */
  wait<Value>(work: () => Promise<Value>): Promise<Value | undefined>;
  end(): void;
}

/** Watches an attempt until its `end`, which also stops a model that is still at work. */
function createWatch(caller: AbortSignal, idleMs: number): Watch {
  const own = new AbortController();
  let stopped: Watch['stopped'];
  let isOver = false;
  let giveUp = (): void => undefined;
  let clock: Disposable | undefined;

  const stop = (why: 'aborted' | 'idle'): void => {
    clock?.[Symbol.dispose]();
    stopped = why;
    clock = timer(grace, () => {
      isOver = true;
      giveUp();
    });
    own.abort(caller.reason);
  };
  const listener = onAbort(caller, () => {
    if (stopped === undefined) stop('aborted');
  });

  return {
    signal: own.signal,
    get stopped() {
      return stopped;
    },
    async wait(work) {
      if (isOver) return undefined;
      if (stopped === undefined) clock = timer(idleMs, () => stop('idle'));
      try {
        return await new Promise((resolve, reject) => {
          giveUp = () => resolve(undefined);
          work().then(resolve, reject);
        });
      } finally {
        if (stopped === undefined) clock?.[Symbol.dispose]();
      }
    },
    end() {
      clock?.[Symbol.dispose]();
      listener[Symbol.dispose]();
      own.abort(over);
    },
  };
}
