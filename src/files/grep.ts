import { onAbort, timer } from '../core/async.ts';
import { reasonLine, reasonOf } from '../core/crash-reason.ts';
import { AgentError, fromErrorData, type ErrorData } from '../core/error.ts';
import { entryFile } from '../core/package-files.ts';
import { systemCode } from './file-fault.ts';

type Reply = { readonly found: GrepFound } | { readonly error: ErrorData };

/**
 * Searches in a separate thread, which is terminated after `maxMs` or on abort, because a regular expression
 * can run forever.
 */
export async function grepInThread(query: GrepQuery, maxMs: number, signal: AbortSignal): Promise<GrepFound> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<GrepFound>();
  // Omits this process's flags: some, such as --input-type, prevent a worker from running a file.
  const { Worker } = process.getBuiltinModule('node:worker_threads'); // loaded on first use
  const worker = new Worker(entryFile('files/grep-worker'), {
    workerData: query,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 1024 },
  });
  using _clock = timer(maxMs, () => reject(tooSlow(maxMs)));
  using _listener = onAbort(signal, () => reject(signal.reason as Error));
  worker.on('message', (reply: Reply) =>
    'found' in reply ? resolve(reply.found) : reject(fromErrorData(reply.error)),
  );
  worker.on('error', (thrown) => reject(broken(thrown)));
  worker.on('exit', () => reject(broken('its thread ended')));
  try {
    return await promise;
  } finally {
    await worker.terminate();
  }
}

function tooSlow(maxMs: number): AgentError {
  return new AgentError('limit.time', `The search took longer than ${maxMs / 1000} seconds.`, {
    hint: 'Use path or glob to search fewer files, or use a simpler pattern. Nested repetitions such as (a+)+ can run forever.',
  });
}

function broken(thrown: unknown): AgentError {
  if (systemCode(thrown) === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new AgentError('limit.too-large', 'The search used too much memory.', {
      hint: 'Use path or glob to search fewer files.',
    });
  }
  return new AgentError('skill.failed', `The search failed: ${reasonLine(thrown)}.`, { hint: 'Try again.' });
}

/** A search in a workspace's files, as sent to the worker thread. */
export interface GrepQuery {
  readonly pattern: string;
  /** The workspace's real path. */
  readonly root: string;
  /** The real path of the file or folder to search. */
  readonly start: string;
  /**
   * Limits the search to matching paths. A pattern without a slash matches at any depth; a leading `!`
   * negates the pattern.
   */
  readonly glob?: string | undefined;
  readonly mode: 'files_with_matches' | 'content' | 'count';
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  /** The number of lines to show before and after each match. */
  readonly before: number;
  readonly after: number;
  /** The maximum number of results: files, or matches if lines are shown. */
  readonly results: number;
  /** The maximum number of characters in the results. */
  readonly characters: number;
}

/** A matching line or a context line near a match. */
export type GrepLine = {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly isMatch: boolean;
};

/** A search's results. The mode determines which lists are filled. Paths are relative to the workspace. */
export type GrepFound = {
  readonly files: readonly { readonly path: string; readonly count: number }[];
  readonly lines: readonly GrepLine[];
  /** Whether the search stopped early. */
  readonly isStopped: boolean;
  /** The number of files that are too large, and the number of files and folders that cannot be opened. */
  readonly large: number;
  readonly unreadable: number;
};

/** Compiles a query's pattern. Throws `usage.bad-input` with the reason if it is invalid. */
export function expressionOf({
  pattern,
  ignoreCase,
  multiline,
}: Pick<GrepQuery, 'pattern' | 'ignoreCase' | 'multiline'>): RegExp {
  const flags = (ignoreCase ? 'i' : '') + (multiline ? 'gms' : '');
  try {
    // The `u` flag enables \p{L} but rejects unnecessary escapes, so an invalid pattern is compiled
    // again without the flag.
    return new RegExp(pattern, `${flags}u`);
  } catch {
    return looseExpression(pattern, flags);
  }
}

function looseExpression(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch (thrown) {
    throw new AgentError('usage.bad-input', `Invalid pattern: ${reasonOf(thrown)}.`, {
      hint: 'Use a JavaScript regular expression; put a backslash before a character to match it literally.',
    });
  }
}
