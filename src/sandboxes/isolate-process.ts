import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { AgentError } from '../core/error.ts';
import { isolateCommands, type Words } from './isolate-command.ts';
import { readMessage } from './snippet-message.ts';
import { readLines, type FromIsolate, type ToIsolate } from './snippet-wire.ts';

const startMs = 30_000;

/** Who hears what such a process says. */
export interface Attendant {
  /** Characters of a message; a longer one ends the process. */
  readonly most: number;
  onMessage(message: FromIsolate): void;
  /** It ended, or said what makes no sense and was ended. */
  onLost(): void;
}

/** A process that runs snippets, as its host sees it. It keeps the host alive only while it is attended to. */
export interface IsolateProcess {
  isAlive(): boolean;
  send(message: ToIsolate): void;
  /** One at a time, until the returned function is called. */
  attend(attendant: Attendant): () => void;
  /** Kills it; resolves when nothing of it is left. */
  end(): Promise<void>;
}

/** Starts one inside bubblewrap where that works, else without; throws `sandbox.unavailable` when it cannot run snippets. */
export async function startIsolateProcess(): Promise<IsolateProcess> {
  const { enclosed, bare } = isolateCommands();
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
  const isolate = converse(spawn(program, words, { env: environment, cwd: '/', detached: true, stdio }));
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

function converse(child: ChildProcess): IsolateProcess {
  const { stdin, stdout } = child as ChildProcess & { stdin: Socket; stdout: Socket };
  let attendant: Attendant | undefined;
  let isAlive = true;
  const lose = (): void => {
    if (!isAlive) return;
    isAlive = false;
    child.kill('SIGKILL');
    attendant?.onLost();
  };
  const closed = once(child, 'close').catch(() => undefined); // what was never started has nothing to close
  child.on('error', lose).on('exit', lose);
  stdin.on('error', lose);
  stdout.on('close', lose);
  readLines(
    stdout,
    () => attendant?.most ?? 0,
    (line) => {
      const message = readMessage(line);
      if (message === undefined || attendant === undefined) lose();
      else if (isAlive) attendant.onMessage(message);
    },
  );
  const holdHost = (holds: boolean): void => {
    for (const each of [child, stdin, stdout]) each[holds ? 'ref' : 'unref']();
  };
  return {
    isAlive: () => isAlive,
    send: (message) => void stdin.write(`${JSON.stringify(message)}\n`),
    attend(next) {
      attendant = next;
      holdHost(true);
      if (!isAlive) next.onLost();
      return () => {
        attendant = undefined;
        holdHost(false);
      };
    },
    async end() {
      holdHost(true);
      lose();
      await closed;
    },
  };
}
