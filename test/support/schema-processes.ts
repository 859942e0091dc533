import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { bundled } from './bundled.ts';
import type { OpenOrder } from './schema-opener.ts';

/** Starts processes that open a table at the same time. Returns what each process sent. */
export async function openTogether(orders: readonly OpenOrder[]): Promise<readonly unknown[]> {
  const children = await Promise.all(orders.map(start));
  await Promise.all(children.map(nextMessage));
  const answers = children.map(nextMessage);
  const ends = children.map((child) => once(child, 'exit'));
  for (const child of children) child.send('begin');
  const said = await Promise.all(answers);
  await Promise.all(ends);
  return said;
}

/** Kills a process in the middle of a change. */
export async function killInside(order: OpenOrder): Promise<void> {
  const child = await start(order);
  await nextMessage(child);
  child.send('begin');
  assert.equal(await nextMessage(child), 'open');
  const end = once(child, 'exit');
  child.kill('SIGKILL');
  await end;
}

async function start(order: OpenOrder): Promise<ChildProcess> {
  const program = await bundled(join(import.meta.dirname, 'schema-opener.ts'));
  return fork(program, [JSON.stringify(order)]);
}

/** Resolves with the process's next message. Rejects if the process exits instead. */
async function nextMessage(child: ChildProcess): Promise<unknown> {
  const stop = new AbortController();
  const end = once(child, 'exit', { signal: stop.signal }).then(([code]) => {
    throw new Error(`The process ended with ${String(code)} and said nothing.`);
  });
  try {
    const said = (await Promise.race([once(child, 'message', { signal: stop.signal }), end])) as unknown[];
    return said[0];
  } finally {
    end.catch(() => undefined); // prevents an unhandled rejection when no one awaits it
    stop.abort();
  }
}
