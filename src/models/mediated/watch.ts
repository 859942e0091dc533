import { AgentError } from '../../core/error.ts';

const grace = 500; // milliseconds that a model which was called off has to say what it used
const longest = 2 ** 31 - 1; // milliseconds, the most that a timer can wait

const over = new AgentError('model.aborted', 'The answer is over.'); // made once: there is one end for each answer

/** Decides when one attempt is to stop. */
export interface Watch {
  /** Stops the model. */
  readonly signal: AbortSignal;
  /** Why it was stopped: its caller called it off, or nothing came from it. */
  readonly stopped: 'aborted' | 'idle' | undefined;
  /** What the work gives; undefined when it was stopped and did not end soon. Silence counts only in here. */
  wait<Value>(work: () => Promise<Value>): Promise<Value | undefined>;
  end(): void;
}

/** Watches an attempt until its `end`, which also stops a model that is still at work. */
export function createWatch(caller: AbortSignal, idleMs: number): Watch {
  const own = new AbortController();
  let stopped: Watch['stopped'];
  let isOver = false;
  let giveUp = (): void => undefined;
  let timer: NodeJS.Timeout | undefined;

  const stop = (why: 'aborted' | 'idle'): void => {
    clearTimeout(timer);
    stopped = why;
    timer = setTimeout(() => {
      isOver = true;
      giveUp();
    }, grace);
    own.abort(caller.reason);
  };
  const callOff = (): void => {
    if (stopped === undefined) stop('aborted');
  };
  caller.addEventListener('abort', callOff, { once: true });

  return {
    signal: own.signal,
    get stopped() {
      return stopped;
    },
    async wait(work) {
      if (isOver) return undefined;
      if (stopped === undefined) timer = setTimeout(() => stop('idle'), Math.min(idleMs, longest));
      try {
        return await new Promise((resolve, reject) => {
          giveUp = () => resolve(undefined);
          work().then(resolve, reject);
        });
      } finally {
        if (stopped === undefined) clearTimeout(timer);
      }
    },
    end() {
      clearTimeout(timer);
      caller.removeEventListener('abort', callOff);
      own.abort(over);
    },
  };
}
