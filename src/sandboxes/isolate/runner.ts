import { AsyncLocalStorage } from 'node:async_hooks';
import {
  AgentError,
  createLimiter,
  onAbort,
  parseJson,
  reasonOf,
  unsafeKeys,
  type Json,
  type Snippet,
  type SnippetResult,
  type SnippetRunner,
} from '../../core/index.ts';
import { startWorkingTime } from '../process/work-clock.ts';
import type { IsolateProcess } from './channel.ts';
import { brokenSnippet, closedSnippets, snippetFault } from './errors.ts';
import { startIsolateProcess } from './process.ts';
import type { FromIsolate, SnippetOrder } from './protocol.ts';

const maxConcurrent = 8;
const maxIdle = 2;

/**
 * Creates a runner for snippets. Each snippet runs in a new isolate, and each process runs one snippet at a
 * time. Processes start on demand and are kept for the next snippet, unless they fail. They all end with this
 * process.
 */
export function createIsolates(): SnippetRunner {
  const limiter = createLimiter(maxConcurrent);
  const all = new Set<IsolateProcess>();
  const idle: IsolateProcess[] = [];
  let isClosed = false;

  const mustBeOpen = (): void => {
    if (isClosed) throw closedSnippets();
  };
  const take = async (): Promise<IsolateProcess> => {
    for (let next = idle.pop(); next !== undefined; next = idle.pop()) if (next.isAlive()) return next;
    const started = await startIsolateProcess();
    all.add(started);
    return started;
  };
  const giveBack = async (isolate: IsolateProcess): Promise<void> => {
    if (isolate.isAlive() && idle.length < maxIdle && !isClosed) {
      idle.push(isolate);
      return;
    }
    all.delete(isolate);
    await isolate.end();
  };

  return {
    async run(snippet, signal) {
      mustBeOpen();
      // A snippet started by another snippet does not wait for a free slot. Otherwise, all snippets could
      // wait for each other.
      using _slot = isCalledBySnippet() ? undefined : await limiter.acquire(signal);
      mustBeOpen();
      const isolate = await take();
      try {
        mustBeOpen();
        return await takeTurn(isolate, snippet, signal);
      } catch (thrown) {
        mustBeOpen(); // If the runner was closed, this error explains why.
        throw thrown;
      } finally {
        await giveBack(isolate);
      }
    },
    async close() {
      isClosed = true;
      await Promise.all([...all].map((isolate) => isolate.end()));
    },
  };
}

const graceMs = 1000;

/** Runs one snippet in an idle process. Ends the process unless it reports a result in time. */
export async function takeTurn(
  isolate: IsolateProcess,
  snippet: Snippet,
  signal: AbortSignal,
): Promise<SnippetResult> {
  signal.throwIfAborted();
  const order = orderOf(snippet);
  const call = lendFunctions(snippet.functions);
  const { promise, resolve, reject } = Promise.withResolvers<Ended>();
  using _listener = onAbort(signal, () => reject(signal.reason as Error));
  const tooLate = snippetFault({ kind: 'time' }, order, '');
  const time = startWorkingTime(order.timeoutMs + graceMs, () => reject(tooLate));

  let calls = 0;
  const release = isolate.listen({
    most: 8 * order.maxOutput + 100_000, // In JSON, one character may take six in the log, two in the value.
    onLost: () => reject(brokenSnippet()),
    onMessage(message) {
      if ('call' in message) calls += 1;
      if ('log' in message) resolve(message);
      else if ('call' in message && calls <= order.maxCalls) void answer(message);
      else reject(brokenSnippet());
    },
  });
  let isOver = false;
  const answer = async (asked: Call): Promise<void> => {
    time.pause();
    const outcome = await call(asked.name, asked.given);
    time.go();
    if (!isOver) isolate.send({ answer: asked.call, ...outcome });
  };

  isolate.send({ run: order });
  let ended: Ended;
  try {
    ended = await promise;
    // A process without free memory ends by itself, but possibly much later.
    if ('failed' in ended && ended.failed.kind === 'memory') await isolate.end();
  } catch (thrown) {
    await isolate.end();
    throw thrown;
  } finally {
    isOver = true;
    time.stop();
    release();
  }
  const { log } = ended;
  if ('failed' in ended) throw snippetFault(ended.failed, order, log);
  const value = parseJson(ended.value);
  if (value === undefined) throw snippetFault({ kind: 'threw', message: tooDeep }, order, log);
  return { value, ...(ended.isEmpty === true ? { isEmpty: true } : {}), log };
}

type Call = Extract<FromIsolate, { call: number }>;
type Ended = Extract<FromIsolate, { log: string }>;

const tooDeep = 'Its value is nested too deeply.';

const identifier = /^[A-Za-z_$][\w$]*$/;
// The longest time limit in milliseconds. Node's timers do not support delays that are much longer.
const longestMs = 2 ** 31 - 10_000;
const leastMemory = 8 * 2 ** 20;
const maxCalls = 10_000;

/**
 * Builds the message that sends a snippet to its process. Uses the defaults for limits that are not set.
 */
function orderOf({ code, input, functions = {}, ...limits }: Snippet): SnippetOrder {
  const names = Object.keys(functions);
  for (const name of names) {
    if (!identifier.test(name) || unsafeKeys.has(name) || name === 'input' || name === 'console') {
      throw new AgentError('usage.bad-input', `A snippet cannot call a function named "${name}".`, {
        hint: 'Use letters, digits and _, and do not start with a digit; input and console are reserved.',
      });
    }
  }
  return {
    code,
    input: JSON.stringify(input),
    names,
    timeoutMs: Math.min(limits.timeoutMs ?? 10_000, longestMs),
    memoryBytes: Math.max(limits.memoryBytes ?? 64 * 2 ** 20, leastMemory),
    maxOutput: limits.maxOutput ?? 1_000_000,
    maxCalls,
  };
}

const inside = new AsyncLocalStorage<true>();

/** Returns whether the caller is handling a call from a snippet, which is waiting for the answer. */
function isCalledBySnippet(): boolean {
  return inside.getStore() === true;
}

/** The answer to a call of a snippet. `text` is a value as JSON, or an error message. */
interface FunctionAnswer {
  readonly text: string;
  readonly isFault: boolean;
}

/**
 * Creates a function that answers a snippet's calls. The snippet can call only the functions that it was
 * given. If a function throws, the snippet receives only the error message.
 */
function lendFunctions(
  functions: Snippet['functions'] = {},
): (name: string, given: string) => Promise<FunctionAnswer> {
  return async (name, given) => {
    try {
      if (!Object.hasOwn(functions, name)) throw new Error(`${name} cannot be called.`);
      const args = parseJson(given);
      if (!Array.isArray(args)) throw new Error(`${name} received something that is not JSON.`);
      const value = await inside.run(true, async () => functions[name]?.(...(args as Json[])));
      return { text: asJson(name, value), isFault: false };
    } catch (thrown) {
      return { text: reasonOf(thrown), isFault: true };
    }
  };
}

function asJson(name: string, value: unknown): string {
  const text = JSON.stringify(value ?? null) as string | undefined;
  if (text === undefined) throw new Error(`${name} returned something that is not JSON.`);
  return text;
}
