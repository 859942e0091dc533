import type { Json } from '../core/json.ts';
import type { Wanted } from '../core/wanted.ts';
import type { MemoryMap } from '../core/session.ts';
import type { Keeper } from './keep.ts';
import type { Live } from './live.ts';
import type { Preparation } from './preparation.ts';
import type { Runtime } from './runtime.ts';
import type { Waits } from './wait-for.ts';

/** What a run was asked for, secrets included: it is never kept and never shown. */
export interface Given {
  readonly input: Json;
  readonly prompt: string;
}

/** A runtime with what its runs share while they go on. */
export interface Kernel extends Runtime {
  readonly live: Live;
  /** What families made of skills before their first use, by digest or by the skill itself. */
  readonly preparations: Map<string | object, Preparation>;
  readonly waits: Waits;
  /** Looks at the value that the run comes to; only the process that began it can. */
  readonly check?: Wanted['check'];
  /** Stands in for the memory of the session; only the process that began the run knows it. */
  readonly memory?: MemoryMap;
  /** Input and prompt of the run as they were meant, where they hold secrets that are not kept; only the process that began it knows them. */
  readonly given?: Given;
  /** What is kept open for sessions, by their ids. */
  readonly sessionKeepers: Map<string, Keeper>;
  /** Aborted when the agent is shut down: nothing begins after that, and what goes on is left to be resumed. */
  readonly closing: AbortSignal;
}
