import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextLoop, setTimeout as wait } from 'node:timers/promises';
import type { Plan } from './plan.ts';

/** Carries a plan out; comes back when it is done, or as soon as the client leaves. `onCut` hears that it is the server that breaks off. */
export async function send(
  response: ServerResponse,
  { status, headers, chunks, ending, delayBefore, delay }: Plan,
  onCut: () => void,
): Promise<void> {
  const left = leavingOf(response);
  if (!(await passes(delayBefore, left))) return;
  if (status !== undefined) {
    response.writeHead(status, headers);
    response.flushHeaders();
    await nextLoop();
  }
  for (const { bytes, pieces } of chunks) {
    if (!(await passes(delay * pieces, left))) return;
    if (!response.write(bytes)) await happens(response, 'drain', left);
    await nextLoop(); // a client in this process reads what was written alone
  }
  if (left.aborted) return;
  if (ending === 'end') response.end();
  if (ending !== 'cut') return happens(response, 'close', left);
  await flush(response);
  onCut();
  response.destroy();
}

function leavingOf(response: ServerResponse): AbortSignal {
  const left = new AbortController();
  if (response.destroyed) left.abort();
  response.once('close', () => left.abort());
  return left.signal;
}

/** Whether the time passed before the client left. */
async function passes(milliseconds: number, left: AbortSignal): Promise<boolean> {
  // A wait that the client ends is no failure: the signal says it.
  if (milliseconds > 0) await wait(milliseconds, undefined, { signal: left }).catch(() => undefined);
  return !left.aborted;
}

async function happens(response: ServerResponse, event: string, left: AbortSignal): Promise<void> {
  // A client that leaves ends the wait, and the caller looks at the signal.
  await once(response, event, { signal: left }).catch(() => undefined);
}

/** What was written has left this process. */
async function flush(response: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    response.once('close', resolve);
    response.write('', () => resolve());
  });
}
