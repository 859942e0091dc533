import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { within } from '../support/within.ts';
import type { GenerationOrder } from './generation-worker.ts';

/** A process that works on the generated code of a skill. */
export interface GenerationWorker extends AsyncDisposable {
  /** The first word that it says; rejects when it ends without one. */
  said(): Promise<string>;
  /** Resolves with the signal that it ended by, null for a good end. */
  ended(): Promise<NodeJS.Signals | null>;
  kill(): void;
}

const program = fileURLToPath(import.meta.resolve('./generation-worker.ts'));

/** Starts a process with an order; it is gone when its scope ends. */
export function startGenerationWorker(order: GenerationOrder): GenerationWorker {
  const child = spawn(process.execPath, [program, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let trouble = '';
  child.stderr.on('data', (text) => (trouble += String(text)));
  const ended = once(child, 'close').then(([code, signal]): NodeJS.Signals | null => {
    if (typeof code === 'number' && code !== 0) throw new Error(trouble);
    return signal as NodeJS.Signals | null;
  });
  ended.catch(() => undefined); // whoever waits for its end hears of it
  const first = Promise.withResolvers<string>();
  first.promise.catch(() => undefined);
  createInterface(child.stdout).once('line', first.resolve);
  child.once('close', () => first.reject(new Error(`It ended and said nothing. ${trouble}`)));
  return {
    said: () => within(60, 'a word', first.promise),
    ended: () => within(60, 'its end', ended),
    kill: () => void child.kill('SIGKILL'),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended.catch(() => undefined);
    },
  };
}
