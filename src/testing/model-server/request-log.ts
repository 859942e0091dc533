import { AgentError } from '../../core/index.ts';
import type { ServedRequest } from './script.ts';

/** What arrived at a server, and who waits for it. */
export interface RequestLog {
  readonly requests: readonly ServedRequest[];
  add(arrived: Omit<ServedRequest, 'arrivedAt' | 'endedAt' | 'closedAt'>): LoggedRequest;
  /** The request at this place, when it arrives. */
  waitForRequest(index: number): Promise<ServedRequest>;
  /** When the client of this request left; rejects when it was answered to the end. */
  waitForLeaving(index: number): Promise<number>;
  /** Nothing more happens: whoever still waits gets an error. */
  stop(): void;
}

/** One request while it is answered; only the first call of one of the two counts. */
export interface LoggedRequest {
  readonly request: ServedRequest;
  end(): void;
  leave(): void;
}

/** An empty log. */
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
            refusal(`The client of request ${index} did not leave: it was answered to the end.`),
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
  const made = {
    arrival: Promise.withResolvers<ServedRequest>(),
    leaving: Promise.withResolvers<number>(),
  };
  // Nobody has to wait; a rejection that nobody hears is fine.
  for (const { promise } of [made.arrival, made.leaving]) promise.catch(() => undefined);
  return made;
}

function refuseStopped({ arrival, leaving }: Waiters): void {
  const stopped = refusal('The model server is closed.');
  arrival.reject(stopped);
  leaving.reject(stopped);
}

function refusal(message: string): AgentError {
  return new AgentError('usage.not-found', message, { hint: 'Look at `requests` for what arrived.' });
}
