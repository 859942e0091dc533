import type { RequestStateCodec } from '@modelcontextprotocol/server';
import type { SkillCatalog } from '@modelcontextprotocol/server/ext/skills';
import type { BareAgent } from '../../agent/recursive-skilled-agent.ts';
import { reasonOf, type LimitOptions, type RunRequest, type RunUser } from '../../core/index.ts';
import type { ReportedProgress } from './progress.ts';
import type { SkillSelection, ServedTools } from './tools.ts';

/** Options for serving skills. */
export interface ServeOptions extends SkillSelection {
  /** The version reported to clients. */
  readonly version: string;
  /** The user on whose behalf clients make calls. */
  readonly user?: RunUser;
  /** The fields that record the key of a client in its runs, and what that key allows. */
  readonly asker?: Pick<RunRequest, 'client' | 'access' | 'submitted'>;
  /** Returns the limits of the next call's run. Throws if the client may use nothing more. */
  readonly limits?: () => Promise<LimitOptions>;
  /** Whether to approve every call without asking. Each approval applies only to a single call. */
  readonly approves?: boolean;
  /** Completes the commands in a text so that users can run them in any folder. */
  readonly pasteable?: (text: string) => string;
  /** Reports an error that does not belong to a call, as one line. */
  readonly report: (line: string) => void;
}

/** The state that the calls of all clients share. */
export interface ServeContext {
  readonly agent: BareAgent;
  readonly options: ServeOptions;
  readonly tools: ServedTools;
  readonly catalog: SkillCatalog;
  /** Signs the state that clients return with their answers, so that clients cannot change it. */
  readonly seal: RequestStateCodec<PendingCall>;
  readonly backgroundTasks: BackgroundTasks;
}

/** The state that a client returns with its answer to a question. */
export interface PendingCall {
  readonly tool: string;
  readonly run: string;
  readonly question: string;
  /** The progress that has been reported to the client. */
  readonly told?: ReportedProgress;
  /** The id of the session to delete when the call ends. Set only if no other call uses the session. */
  readonly passing?: string;
}

/** Tasks that do not belong to a call. The server waits for them when it shuts down. */
interface BackgroundTasks {
  add(work: Promise<unknown>): void;
  /** Resolves when all tasks have ended. */
  done(): Promise<void>;
}

/**
 * Creates a tracker for tasks that do not belong to a call. If a task fails, its error is reported as one
 * line.
 */
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
 * Returns an error as one line for the operator of the server. Omits the details of invalid messages, which
 * contain text from clients.
 */
export function faultLine(thrown: unknown): string {
  const isShape = thrown instanceof Error && thrown.name === 'ZodError';
  if (isShape) return 'A client sent an invalid message.';
  return reasonOf(thrown).replace(/\s+/g, ' ').slice(0, maxCharacters);
}
