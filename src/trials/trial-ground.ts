import type { AgentOptions, Settings } from '../agent/options.ts';
import type { ModelOptions } from '../core/model/sources.ts';

/** What all cases of one start stand on. */
export interface TrialGround {
  /** The folder of the project. */
  readonly folder: string;
  /** Where skills are looked for. */
  readonly roots: Pick<AgentOptions, 'startDir' | 'additionalSkillRoots' | 'only' | 'userRoots'>;
  readonly settings: Settings;
  /** Whatever nobody allowed is denied, or allowed, instead of asked about; a person said so. */
  readonly decides?: 'allow' | 'deny';
  /** Where runs are kept; in memory unless given. */
  readonly store?: string;
  /** The models that are asked to make recordings anew; without them recordings are replayed. */
  readonly records?: ModelOptions;
  /** Ends everything. */
  readonly signal: AbortSignal;
}
