import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessCommand } from '../../src/core/sandbox.ts';
import { createProcessSandboxes } from '../../src/sandboxes/bubblewrap-provider.ts';
import { openLoops } from '../stress/stress.ts';
import { withoutBubblewrap } from '../support/bubblewrap.ts';
import { carriers } from '../support/carriers.ts';
import { eventually, until } from '../support/deadline.ts';
import { sourceUrl } from '../support/source-file.ts';

const { createLoop } = openLoops(import.meta);
const counts = { small: 3, full: 100, lanes: 2 };
const grant = { read: [], write: [], hosts: [], environment: { PATH: '/usr/bin:/bin' } };
const provider = createProcessSandboxes();

/**
 * Returns a command with children that try to survive. All carry a mark, and the command reports when they run.
 */
function stubborn(mark: string, more: Partial<ProcessCommand> = {}): ProcessCommand {
  const stay = `sh -c "trap '' TERM HUP INT; while :; do sleep 0.05; done" ${mark}`;
  const script = `setsid ${stay} & nohup ${stay} & (${stay} &) ; setsid setsid ${stay} >/dev/null 2>&1 & echo there; ${stay}`;
  return { program: 'sh', arguments: ['-c', script, mark], ...more };
}

function assertNobody(mark: string): void {
  const left = carriers(mark).map(
    (id) => `${id}: ${readFileSync(`/proc/${id}/status`, 'utf8').slice(0, 200)}`,
  );
  assert.deepEqual(left, []);
}

const timeouts = createLoop(counts);
test('no process is left when the time of a command is over', { skip: withoutBubblewrap }, async () => {
  const sandbox = await provider.open(grant);
  await timeouts.rounds(async ({ number: round }) => {
    const mark = randomUUID();
    const command = stubborn(mark, { timeoutMs: 1 + ((round * 7) % 60) });
    const { timedOut } = await sandbox.run(command, new AbortController().signal);
    assert.equal(timedOut, true);
    assertNobody(mark);
  });
  await sandbox.close();
});

const cancels = createLoop(counts);
test('no process is left when a command is cancelled', { skip: withoutBubblewrap }, async () => {
  const sandbox = await provider.open(grant);
  await cancels.rounds(async ({ number: round }) => {
    const mark = randomUUID();
    const stop = new AbortController();
    const running = sandbox.run(stubborn(mark), stop.signal);
    await delay((round * 3) % 80); // any moment is fine, even before it has started
    stop.abort();
    await assert.rejects(running);
    assertNobody(mark);
  });
  await sandbox.close();
});

// A process that starts a marked command. It reports that it is about to do so, and forwards the command's
// output.
const host = (mark: string): string => `
  import { createProcessSandboxes } from ${JSON.stringify(sourceUrl('src/sandboxes/bubblewrap-provider.ts'))};
  const sandbox = await createProcessSandboxes().open(${JSON.stringify(grant)});
  process.on('SIGTERM', () => process.exit());
  process.stdout.write('begin');
  const live = await sandbox.start(${JSON.stringify(stubborn(mark))});
  for await (const piece of live.output) process.stdout.write(piece);
`;

/**
 * Runs a host, stops it with a signal at some moment, and waits for its end. The moment can wait for its
 * output.
 */
async function endHost(
  mark: string,
  signal: NodeJS.Signals,
  moment: (hears: (text: string) => Promise<void>) => Promise<unknown>,
): Promise<void> {
  const args = ['--input-type=module', '--eval', host(mark), mark];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (bytes: Buffer) => (said += String(bytes)));
  try {
    await moment(async (text) => {
      while (!said.includes(text)) await once(child.stdout, 'data');
    });
  } finally {
    child.kill(signal);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}

for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
  const ended = createLoop(counts);
  const name = signal === 'SIGKILL' ? 'is killed' : 'shuts down';
  test(`no process is left when its host ${name}`, { skip: withoutBubblewrap }, async () => {
    await ended.rounds(async ({ number: round }) => {
      const mark = randomUUID();
      await endHost(mark, signal, async (hears) => {
        await hears('begin');
        await (round % 5 === 0 ? delay(round % 20) : hears('there')); // while it starts, or while it runs
      });
      await eventually(() => assertNobody(mark)); // the kernel ends them
    });
  });
}

test('no process is left when a thread that started it ends', { skip: withoutBubblewrap }, async () => {
  const { Worker } = await import('node:worker_threads');
  const mark = randomUUID();
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(host(mark))}`), {
    stdout: true,
  });
  await until(() => carriers(mark).length >= 4, 'the processes of the thread');
  await worker.terminate();
  await eventually(() => assertNobody(mark)); // the kernel ends them
});
