import type { RequestStateCodec } from '@modelcontextprotocol/server';
import type { SkillCatalog } from '@modelcontextprotocol/server/ext/skills';
import type { BareAgent } from '../../agent/recursive-skilled-agent.ts';
import { reasonOf, type RunLimits } from '../../core/index.ts';
import type { ReportedProgress } from './progress.ts';
import type { SkillSelection, ServedTools } from './tools.ts';

/** How skills are served. */
export interface ServeOptions extends SkillSelection {
  /** The version that clients are told. */
  readonly version: string;
  /** What whoever calls may do. */
  readonly roles?: readonly string[];
  readonly limits?: Partial<RunLimits>;
  /** Whatever needs approval is allowed once; nobody is asked. */
  readonly approves?: boolean;
  /** Completes the commands in a text so that they work in any folder; clients show them to people. */
  readonly pasteable?: (text: string) => string;
  /** Told what goes wrong beside calls, in a line. */
  readonly report: (line: string) => void;
}

/** All that the calls of every client stand on. */
export interface ServeContext {
  readonly agent: BareAgent;
  readonly options: ServeOptions;
  readonly tools: ServedTools;
  readonly catalog: SkillCatalog;
  /** Seals what a client is given to bring back with its answer, so that it cannot be made up. */
  readonly seal: RequestStateCodec<PendingCall>;
  readonly errands: Errands;
}

/** What a client brings back with the answer to a question. */
export interface PendingCall {
  readonly tool: string;
  readonly run: string;
  readonly question: string;
  /** How far the client was told what happens. */
  readonly told?: ReportedProgress;
  /** The session that ends with the call, where it has one of its own. */
  readonly passing?: string;
}

/** Work that no call waits for; whoever closes what it stands on does. */
interface Errands {
  add(work: Promise<unknown>): void;
  /** Resolves when all of it is done. */
  done(): Promise<void>;
}

/** Keeps work that goes on beside calls; what goes wrong with it is reported in a line, and ends nothing else. */
export function createErrands(report: (line: string) => void): Errands {
  const open = new Set<Promise<unknown>>();
  return {
    add(work) {
      const errand = work
        .catch((thrown: unknown) => report(faultLine(thrown)))
        .finally(() => open.delete(errand));
      open.add(errand);
    },
    async done() {
      while (open.size > 0) await Promise.all(open);
    },
  };
}

const mostLetters = 300;

/** What goes wrong between client and server as one line for whoever runs the server; what a client sent is not repeated. */
export function faultLine(thrown: unknown): string {
  const isShape = thrown instanceof Error && thrown.name === 'ZodError';
  if (isShape) return 'A client sent something that is no message.';
  return reasonOf(thrown).replace(/\s+/g, ' ').slice(0, mostLetters);
}
