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
 * Calls a model once and yields its events. Always returns a final event, even if the model throws
 * or ends early. Aborts a model that sends nothing for `idleSeconds`.
 */
export async function* attempt(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
  idleSeconds: number,
): AsyncGenerator<ModelPiece, ModelEnd> {
  if (signal.aborted) return abortedEnd(noUsage); // Do not send an aborted request to the model.
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
    events?.return?.().catch(() => undefined); // Do not wait for the model to stop.
  }
}

function stoppedEnd(model: Model, why: 'aborted' | 'idle', idleSeconds: number, usage: Usage): ModelEnd {
  if (why === 'aborted') return abortedEnd(usage);
  const error: ErrorData = {
    code: 'model.timeout',
    message: `${model.id} sent nothing for ${idleSeconds} ${idleSeconds === 1 ? 'second' : 'seconds'}.`,
    hint: 'Try again later, or raise the time limit.',
  };
  return failedEnd(error, usage);
}

function cutOff({ id }: Model): ErrorData {
  return {
    code: 'model.failed',
    message: `The answer from ${id} was cut off.`,
    details: { passing: true },
  };
}

/** Converts an error that a model threw. A model should report errors as events instead. */
function thrownBy({ id }: Model, thrown: unknown): ErrorData {
  if (isAgentError(thrown)) return toErrorData(thrown);
  return { code: 'model.failed', message: `${id} failed: ${reasonOf(thrown).replace(/\.?$/, '.')}` };
}

const grace = 500; // The maximum time to wait for an aborted model to report its usage, in milliseconds.

// A shared error object, because it is the same for every attempt.
const over = new AgentError('model.aborted', 'The answer has ended.');

/** The abort signal and the idle timer of an attempt. */
interface Watch {
  /** The signal that is passed to the model. */
  readonly signal: AbortSignal;
  /**
   * The reason why the attempt stopped, if it did: its caller aborted it, or the model was idle for
   * too long.
   */
  readonly stopped: 'aborted' | 'idle' | undefined;
  /**
   * Returns the result of `work`. Returns undefined if the attempt stops and `work` does not end soon after.
   * Measures the model's silence only while `work` runs.
   */
  wait<Value>(work: () => Promise<Value>): Promise<Value | undefined>;
  end(): void;
}

/** Watches an attempt until `end` is called. `end` also stops a model that is still running. */
function createWatch(caller: AbortSignal, idleMs: number): Watch {
  const own = new AbortController();
  let stopped: Watch['stopped'];
  let isOver = false;
  let giveUp = (): void => undefined;
  let waitingSince: number | undefined; // Undefined while nothing is read from the model.
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
  // One timer for all events of the attempt. If the model was not silent for long enough, it runs again.
  const watchSilence = (milliseconds: number): void => {
    clock = timer(milliseconds, () => {
      const silent = waitingSince === undefined ? 0 : performance.now() - waitingSince;
      if (silent < idleMs - 1) watchSilence(idleMs - silent);
      else stop('idle');
    });
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
      waitingSince = performance.now();
      if (clock === undefined) watchSilence(idleMs);
      try {
        return await new Promise((resolve, reject) => {
          giveUp = () => resolve(undefined);
          work().then(resolve, reject);
        });
      } finally {
        waitingSince = undefined;
      }
    },
    end() {
      clock?.[Symbol.dispose]();
      listener[Symbol.dispose]();
      own.abort(over);
    },
  };
}
