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

const mostAtOnce = 8;
const mostIdle = 2;

/**
 * Runs snippets in processes of their own, one at a time in each and every one in a new isolate. Processes are started
 * when they are needed, kept for the next snippet, replaced when they are lost, and end with this one.
 */
export function createIsolates(): SnippetRunner {
  const limiter = createLimiter(mostAtOnce);
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
    if (isolate.isAlive() && idle.length < mostIdle && !isClosed) {
      idle.push(isolate);
      return;
    }
    all.delete(isolate);
    await isolate.end();
  };

  return {
    async run(snippet, signal) {
      mustBeOpen();
      // A snippet that another one waits for has its turn at once: else they could all wait for each other.
      using _slot = isCalledBySnippet() ? undefined : await limiter.acquire(signal);
      mustBeOpen();
      const isolate = await take();
      try {
        mustBeOpen();
        return await takeTurn(isolate, snippet, signal);
      } catch (thrown) {
        mustBeOpen(); // closing broke it
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

/** Runs one snippet in a process that is free. Unless the process says itself what the snippet came to, it is ended. */
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
  const release = isolate.attend({
    most: 8 * order.mostOutput + 100_000, // a character of the log may need six in JSON, one of the value two
    onLost: () => reject(brokenSnippet()),
    onMessage(message) {
      if ('call' in message) calls += 1;
      if ('log' in message) resolve(message);
      else if ('call' in message && calls <= order.mostCalls) void answer(message);
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
    if ('failed' in ended && ended.failed.kind === 'memory') await isolate.end(); // it ends by itself, but when
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

const tooDeep = 'Its value is nested too deep.';

const identifier = /^[A-Za-z_$][\w$]*$/;
const longestMs = 2 ** 31 - 10_000; // timers cannot wait much longer
const leastMemory = 8 * 2 ** 20;
const mostCalls = 10_000;

/** A snippet with all its limits, as its process gets it. */
function orderOf({ code, input, functions = {}, ...limits }: Snippet): SnippetOrder {
  const names = Object.keys(functions);
  for (const name of names) {
    if (!identifier.test(name) || unsafeKeys.has(name) || name === 'input' || name === 'console') {
      throw new AgentError('usage.bad-input', `No snippet can call a function by the name "${name}".`, {
        hint: 'Use letters, digits and _, without a digit in front; input and console are taken.',
      });
    }
  }
  return {
    code,
    input: JSON.stringify(input),
    names,
    timeoutMs: Math.min(limits.timeoutMs ?? 10_000, longestMs),
    memoryBytes: Math.max(limits.memoryBytes ?? 64 * 2 ** 20, leastMemory),
    mostOutput: limits.mostOutput ?? 1_000_000,
    mostCalls,
  };
}

const inside = new AsyncLocalStorage<true>();

/** Whether the code that asks was called by a snippet, which waits for it. */
function isCalledBySnippet(): boolean {
  return inside.getStore() === true;
}

/** What a call came to: a value as JSON, or the words of a fault. */
interface FunctionAnswer {
  readonly text: string;
  readonly isFault: boolean;
}

/** Lets a snippet call the functions that it was given and no others; only the words of what they throw are given to it. */
function lendFunctions(
  functions: Snippet['functions'] = {},
): (name: string, given: string) => Promise<FunctionAnswer> {
  return async (name, given) => {
    try {
      if (!Object.hasOwn(functions, name)) throw new Error(`${name} cannot be called.`);
      const words = parseJson(given);
      if (!Array.isArray(words)) throw new Error(`${name} was given something that is not JSON.`);
      const value = await inside.run(true, async () => functions[name]?.(...(words as Json[])));
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
