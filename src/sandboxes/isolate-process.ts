import { spawn, type StdioOptions } from 'node:child_process';
import { AgentError } from '../core/error.ts';
import { openChannel, type IsolateProcess } from './isolate-channel.ts';
import { isolateCommands, type Words } from './isolate-command.ts';

const startMs = 30_000;

/** Starts one inside bubblewrap where that works, else without; throws `sandbox.unavailable` when it cannot run snippets. */
export async function startIsolateProcess({ enclosed, bare } = isolateCommands()): Promise<IsolateProcess> {
  const first = await start(enclosed);
  if ('send' in first) return first;
  const second = await start(bare);
  if ('send' in second) return second;
  throw new AgentError('sandbox.unavailable', `Snippets cannot run: ${second.reason}`, {
    hint: 'The package isolated-vm needs a build for this machine and this version of Node: npm rebuild isolated-vm',
  });
}

async function start([program, ...words]: Words): Promise<IsolateProcess | { readonly reason: string }> {
  // Dates read the same on every machine; nothing else is told to it.
  const environment = { TZ: 'UTC' };
  const stdio: StdioOptions = ['pipe', 'pipe', 'ignore'];
  const isolate = openChannel(spawn(program, words, { env: environment, cwd: '/', detached: true, stdio }));
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const timer = setTimeout(resolve, startMs, 'their process did not start in time.');
  const release = isolate.attend({
    most: 10_000,
    onMessage: (message) => resolve('unavailable' in message ? message.unavailable : undefined),
    onLost: () => resolve('their process could not be started.'),
  });
  const reason = await promise;
  clearTimeout(timer);
  release();
  if (reason === undefined) return isolate;
  await isolate.end();
  return { reason };
}
