import { spawn } from 'node:child_process';
import { crashReason } from '../core/crash-reason.ts';
import { AgentError, reasonOf } from '../core/error.ts';
import { isHeard } from './is-heard.ts';
import { openChannel, type IsolateProcess } from './isolate-channel.ts';
import { isolateCommands, type Words } from './isolate-command.ts';
import { unfitEngine } from './isolate-engine.ts';
import { createKeptTail } from './kept-tail.ts';
import { withinGrace } from './within-grace.ts';

const startMs = 30_000;

/** Starts one inside bubblewrap where that works, else without; throws `sandbox.unavailable` when it cannot run snippets. */
export async function startIsolateProcess({ enclosed, bare } = isolateCommands()): Promise<IsolateProcess> {
  const first = await start(enclosed);
  if ('send' in first) return first;
  const second = await start(bare);
  if ('send' in second) return second;
  throw 'unavailable' in second ? unfitEngine(second.unavailable) : brokenWorker(second.reason);
}

/** Its engine does not load, or it failed in another way. */
type Refusal = { readonly unavailable: string } | { readonly reason: string };

async function start([program, ...words]: Words): Promise<IsolateProcess | Refusal> {
  // Dates read the same on every machine; its environment holds nothing else.
  const environment = { TZ: 'UTC' };
  const child = spawn(program, words, { env: environment, cwd: '/', detached: true });
  const complaints = createKeptTail(20_000);
  const heard = isHeard(child.stderr.on('data', complaints.add));
  let reason = 'it ended at once.';
  child.once('error', (thrown) => (reason = reasonOf(thrown)));
  const isolate = openChannel(child);
  const { promise, resolve } = Promise.withResolvers<Refusal | undefined>();
  const timer = setTimeout(resolve, startMs, { reason: 'it did not start in time.' });
  const release = isolate.attend({
    most: 10_000,
    onMessage: (message) => resolve('unavailable' in message ? message : undefined),
    onLost: () =>
      void withinGrace(heard).then(() => resolve({ reason: crashReason(complaints.text()) || reason })),
  });
  const refusal = await promise;
  clearTimeout(timer);
  release();
  if (refusal === undefined) return isolate;
  await isolate.end();
  return refusal;
}

function brokenWorker(reason: string): AgentError {
  return new AgentError('sandbox.unavailable', `The snippet worker failed to start: ${reason}`, {
    hint: 'Install skilled again. If that does not help, please report it with this message.',
  });
}
