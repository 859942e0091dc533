import { AgentError } from '../../core/index.ts';
import type { ServedRequest } from './script.ts';

/**
 * A log of the requests that a server has received. Callers can also wait for requests that have not arrived
 * yet.
 */
export interface RequestLog {
  readonly requests: readonly ServedRequest[];
  add(arrived: Omit<ServedRequest, 'arrivedAt' | 'endedAt' | 'closedAt'>): LoggedRequest;
  /** Resolves to the request with this index once it arrives. */
  waitForRequest(index: number): Promise<ServedRequest>;
  /**
   * Resolves to the time at which the client of a request disconnected. Rejects if the client received the
   * entire answer.
   */
  waitForLeaving(index: number): Promise<number>;
  /** Closes the log and rejects all pending promises. */
  stop(): void;
}

/** A request that the server is answering. Only the first call of `end` or `leave` has an effect. */
export interface LoggedRequest {
  readonly request: ServedRequest;
  end(): void;
  leave(): void;
}

/** Creates an empty request log. */
export function createRequestLog(): RequestLog {
  const requests: ServedRequest[] = [];
  const waiters = new Map<number, Waiters>();
  let isStopped = false;

  function waitersOf(index: number): Waiters {
    const found = waiters.get(index) ?? createWaiters();
    waiters.set(index, found);
    if (isStopped) refuseStopped(found);
    return found;
  }

  return {
    requests,
    add(arrived) {
      const index = requests.length;
      const { arrival, leaving } = waitersOf(index);
      const request: { -readonly [Key in keyof ServedRequest]: ServedRequest[Key] } = {
        ...arrived,
        arrivedAt: Date.now(),
      };
      const isOver = (): boolean =>
        isStopped || request.endedAt !== undefined || request.closedAt !== undefined;
      requests.push(request);
      arrival.resolve(request);
      return {
        request,
        end() {
          if (isOver()) return;
          request.endedAt = Date.now();
          leaving.reject(
            refusal(`The client of request ${index} did not disconnect: it received the complete answer.`),
          );
        },
        leave() {
          if (isOver()) return;
          request.closedAt = Date.now();
          leaving.resolve(request.closedAt);
        },
      };
    },
    waitForRequest: (index) => waitersOf(index).arrival.promise,
    waitForLeaving: (index) => waitersOf(index).leaving.promise,
    stop() {
      isStopped = true;
      waiters.forEach(refuseStopped);
    },
  };
}

interface Waiters {
  readonly arrival: PromiseWithResolvers<ServedRequest>;
  readonly leaving: PromiseWithResolvers<number>;
}

function createWaiters(): Waiters {
  const waiters = {
    arrival: Promise.withResolvers<ServedRequest>(),
    leaving: Promise.withResolvers<number>(),
  };
  // Prevent unhandled rejections, because a test may ignore these promises.
  for (const { promise } of [waiters.arrival, waiters.leaving]) promise.catch(() => undefined);
  return waiters;
}

function refuseStopped({ arrival, leaving }: Waiters): void {
  const stopped = refusal('The model server is closed.');
  arrival.reject(stopped);
  leaving.reject(stopped);
}

function refusal(message: string): AgentError {
  return new AgentError('usage.not-found', message, {
    hint: 'Check `requests` for the requests that arrived.',
  });
}
