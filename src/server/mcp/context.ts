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
  /** The user on whose behalf clients call. */
  readonly user?: RunUser;
  readonly limits?: LimitOptions;
  /** Whether to approve every call that needs approval without asking. Each approval is for one call. */
  readonly approves?: boolean;
  /** Completes the commands in user-facing text, so that they can be run in any folder. */
  readonly pasteable?: (text: string) => string;
  /** Receives each error that occurs outside calls, as one line. */
  readonly report: (line: string) => void;
}

/** The data shared by the calls of all clients. */
export interface ServeContext {
  readonly agent: BareAgent;
  readonly options: ServeOptions;
  readonly tools: ServedTools;
  readonly catalog: SkillCatalog;
  /** Seals the state that a client sends back with its answer, so that the client cannot forge it. */
  readonly seal: RequestStateCodec<PendingCall>;
  readonly backgroundTasks: BackgroundTasks;
}

/** The state that a client returns with its answer to a question. */
export interface PendingCall {
  readonly tool: string;
  readonly run: string;
  readonly question: string;
  /** The progress that the client has already received. */
  readonly told?: ReportedProgress;
  /** The session to delete when the call ends, if the call has its own session. */
  readonly passing?: string;
}

/** Tasks that run outside calls. They are awaited on shutdown. */
interface BackgroundTasks {
  add(work: Promise<unknown>): void;
  /** Resolves when all tasks are done. */
  done(): Promise<void>;
}

/** Creates a tracker for tasks outside calls. An error in a task is only reported, as one line. */
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

/** Formats a connection error as one line for the server's operator. Never includes text from a client. */
export function faultLine(thrown: unknown): string {
  const isShape = thrown instanceof Error && thrown.name === 'ZodError';
  if (isShape) return 'A client sent an invalid message.';
  return reasonOf(thrown).replace(/\s+/g, ' ').slice(0, maxCharacters);
}
