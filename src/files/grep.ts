import { Worker } from 'node:worker_threads';
import { onAbort, timer } from '../core/async.ts';
import { reasonLine } from '../core/crash-reason.ts';
import { AgentError, fromErrorData, reasonOf, type ErrorData } from '../core/error.ts';
import { entryFile } from '../core/package-files.ts';
import { systemCode } from './file-fault.ts';

type Reply = { readonly found: GrepFound } | { readonly error: ErrorData };

/** Searches in a thread of its own, which is ended when it takes too long or nobody waits any more: an expression can take for ever. */
export async function grepInThread(
  query: GrepQuery,
  mostMs: number,
  signal: AbortSignal,
): Promise<GrepFound> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<GrepFound>();
  // Without the flags of this process: some, such as --input-type, forbid to start a file.
  const worker = new Worker(entryFile('files/grep-worker'), {
    workerData: query,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 1024 },
  });
  using _clock = timer(mostMs, () => reject(tooSlow(mostMs)));
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

/** A search in the files of a workspace, as it is sent to the thread that does it. */
export interface GrepQuery {
  readonly pattern: string;
  /** The workspace, real path. */
  readonly root: string;
  /** The file or folder to search, real path. */
  readonly start: string;
  /** Only files whose path fits; without a slash in it, at any depth; with a `!` before it, only others. */
  readonly glob?: string | undefined;
  readonly mode: 'files_with_matches' | 'content' | 'count';
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  /** Lines to show before and after each match. */
  readonly before: number;
  readonly after: number;
  /** Results after which the search stops: files, or matches where their lines are shown. */
  readonly results: number;
  /** Characters of results after which it stops. */
  readonly characters: number;
}

/** A line of a file that matches or stands near one that does. */
export type GrepLine = {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly isMatch: boolean;
};

/** What a search came to; which of the lists are filled depends on the mode. Paths are relative to the workspace. */
export type GrepFound = {
  readonly files: readonly { readonly path: string; readonly count: number }[];
  readonly lines: readonly GrepLine[];
  /** The search stopped before it had seen everything. */
  readonly isStopped: boolean;
  /** Files that are too large to search, and files and folders that could not be opened. */
  readonly large: number;
  readonly unreadable: number;
};

/** The expression of a query; throws `usage.bad-input` with what is wrong with it. */
export function expressionOf({
  pattern,
  ignoreCase,
  multiline,
}: Pick<GrepQuery, 'pattern' | 'ignoreCase' | 'multiline'>): RegExp {
  const flags = (ignoreCase ? 'i' : '') + (multiline ? 'gms' : '');
  try {
    return new RegExp(pattern, `${flags}u`); // knows \p{L}, but takes no needless backslash
  } catch {
    return looseExpression(pattern, flags);
  }
}

function looseExpression(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch (thrown) {
    throw new AgentError('usage.bad-input', `The pattern cannot be read: ${reasonOf(thrown)}.`, {
      hint: 'It is a regular expression of JavaScript; put a backslash before a character that is to mean itself.',
    });
  }
}
