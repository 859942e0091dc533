import { Worker } from 'node:worker_threads';
import { reasonLine } from '../core/crash-reason.ts';
import { entryFile } from '../core/package-files.ts';
import { AgentError, fromErrorData, type ErrorData } from '../core/error.ts';
import { systemCode } from './file-fault.ts';
import type { GrepFound, GrepQuery } from './grep-query.ts';

type Reply = { readonly found: GrepFound } | { readonly error: ErrorData };

/** Searches in a thread of its own, which is ended when it takes too long or nobody waits any more: an expression can take for ever. */
export function grepInThread(query: GrepQuery, mostMs: number, signal: AbortSignal): Promise<GrepFound> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<GrepFound>();
  // Without the flags of this process: some, such as --input-type, forbid to start a file.
  const worker = new Worker(entryFile('files/grep-worker'), {
    workerData: query,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 1024 },
  });
  const onAbort = (): void => reject(signal.reason as Error);
  const timer = setTimeout(() => reject(tooSlow(mostMs)), mostMs);
  signal.addEventListener('abort', onAbort, { once: true });
  worker.on('message', (reply: Reply) =>
    'found' in reply ? resolve(reply.found) : reject(fromErrorData(reply.error)),
  );
  worker.on('error', (thrown) => reject(broken(thrown)));
  worker.on('exit', () => reject(broken('its thread ended')));
  return promise.finally(async () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    await worker.terminate();
  });
}

function tooSlow(mostMs: number): AgentError {
  return new AgentError('limit.time', `The search took longer than ${mostMs / 1000} seconds.`, {
    hint: 'Search fewer files with path or glob, or use a simpler pattern: nested repetitions such as (a+)+ may never end.',
  });
}

function broken(thrown: unknown): AgentError {
  if (systemCode(thrown) === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new AgentError('limit.too-large', 'The search took too much memory.', {
      hint: 'Search fewer files with path or glob.',
    });
  }
  return new AgentError('skill.failed', `The search failed: ${reasonLine(thrown)}.`, { hint: 'Try again.' });
}
