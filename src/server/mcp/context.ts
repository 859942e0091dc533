import type { RequestStateCodec } from '@modelcontextprotocol/server';
import type { SkillCatalog } from '@modelcontextprotocol/server/ext/skills';
import type { BareAgent } from '../../agent/recursive-skilled-agent.ts';
import { reasonOf, type LimitOptions, type RunUser } from '../../core/index.ts';
import type { ReportedProgress } from './progress.ts';
import type { SkillSelection, ServedTools } from './tools.ts';

/** Options for serving skills. */
export interface ServeOptions extends SkillSelection {
  /** The version reported to clients. */
  readonly version: string;
  /** The user for whom clients make calls. */
  readonly user?: RunUser;
  readonly limits?: LimitOptions;
  /** Whether to approve every call without asking. Each approval is for one call. */
  readonly approves?: boolean;
  /** Completes the commands in a text for users, so that they work in any folder. */
  readonly pasteable?: (text: string) => string;
  /** Called with each error that does not belong to a call, as one line. */
  readonly report: (line: string) => void;
}

/** Everything that the calls of all clients share. */
export interface ServeContext {
  readonly agent: BareAgent;
  readonly options: ServeOptions;
  readonly tools: ServedTools;
  readonly catalog: SkillCatalog;
  /** Signs the state that a client returns with its answer, so that the client cannot change it. */
  readonly seal: RequestStateCodec<PendingCall>;
  readonly backgroundTasks: BackgroundTasks;
}

/** State that a client returns with its answer to a question. */
export interface PendingCall {
  readonly tool: string;
  readonly run: string;
  readonly question: string;
  /** The progress that was reported to the client. */
  readonly told?: ReportedProgress;
  /** The session to delete when the call ends, if it belongs to the call alone. */
  readonly passing?: string;
}

/** Tasks that do not belong to a call. Shutdown waits for them. */
interface BackgroundTasks {
  add(work: Promise<unknown>): void;
  /** Resolves when all tasks have ended. */
  done(): Promise<void>;
}

/** Creates a tracker for tasks that do not belong to a call. Reports the error of a task as one line. */
export function createBackgroundTasks(report: (line: string) => void): BackgroundTasks {
  const open = new Set<Promise<unknown>>();
  return {
    add(work) {
      const task = work
        .catch((thrown: unknown) => report(faultLine(thrown)))
        .finally(() => open.delete(task));
      open.add(task);
    },
    async done() {
      while (open.size > 0) await Promise.all(open);
    },
  };
}

const maxCharacters = 300;

/**
 * Returns the error of a connection as one line for the server's operator. It never contains text from a
 * client.
 */
export function faultLine(thrown: unknown): string {
  const isShape = thrown instanceof Error && thrown.name === 'ZodError';
  if (isShape) return 'A client sent an invalid message.';
  return reasonOf(thrown).replace(/\s+/g, ' ').slice(0, maxCharacters);
}
