import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { settled } from '../support/deadline.ts';
import type { GenerationOrder } from './generation-worker.ts';
import { sourceFile } from '../support/source-file.ts';

/** A process that generates the code of a skill. */
export interface GenerationWorker extends AsyncDisposable {
  /** Resolves to its first output. Rejects if it exits without any. */
  said(): Promise<string>;
  /** Kills the process, and resolves when it is gone. */
  kill(): Promise<void>;
}

const program = sourceFile('test/processes/generation-worker.ts');

/** Starts a process with an order. It is gone at the end of the scope. */
export function startGenerationWorker(order: GenerationOrder): GenerationWorker {
  const child = spawn(process.execPath, [program, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let trouble = '';
  child.stderr.on('data', (text) => (trouble += String(text)));
  const ended = once(child, 'close');
  const first = Promise.withResolvers<string>();
  first.promise.catch(() => undefined);
  createInterface(child.stdout).once('line', first.resolve);
  child.once('close', () => first.reject(new Error(`It ended and said nothing. ${trouble}`)));
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  return {
    said: () => settled(first.promise, 'a word'),
    kill,
    [Symbol.asyncDispose]: kill,
  };
}
