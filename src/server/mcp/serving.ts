import type { RequestStateCodec } from '@modelcontextprotocol/server';
import type { SkillCatalog } from '@modelcontextprotocol/server/ext/skills';
import type { RecursiveSkilledAgent } from '../../agent/recursive-skilled-agent.ts';
import type { RunLimits } from '../../core/run-limits.ts';
import type { Choice } from './chosen-skills.ts';
import type { Errands } from './errands.ts';
import type { Told } from './progress-teller.ts';
import type { ServedTools } from './served-tools.ts';

/** How skills are served. */
export interface ServeOptions extends Choice {
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
export interface Serving {
  readonly agent: RecursiveSkilledAgent;
  readonly options: ServeOptions;
  readonly tools: ServedTools;
  readonly catalog: SkillCatalog;
  /** Seals what a client is given to bring back with its answer, so that it cannot be made up. */
  readonly seal: RequestStateCodec<Asked>;
  readonly errands: Errands;
}

/** What a client brings back with the answer to a question. */
export interface Asked {
  readonly tool: string;
  readonly run: string;
  readonly question: string;
  /** How far the client was told what happens. */
  readonly told?: Told;
  /** The session that ends with the call, where it has one of its own. */
  readonly passing?: string;
}
