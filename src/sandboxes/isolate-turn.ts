import { parseJson } from '../core/json.ts';
import type { Snippet, SnippetResult } from '../core/code.ts';
import type { IsolateProcess } from './isolate-channel.ts';
import { brokenSnippet, snippetFault } from './snippet-fault.ts';
import { lendFunctions } from './snippet-functions.ts';
import { orderOf } from './snippet-order.ts';
import type { FromIsolate } from './snippet-wire.ts';
import { startWorkingTime } from './working-time.ts';

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
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
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
    signal.removeEventListener('abort', onAbort);
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
