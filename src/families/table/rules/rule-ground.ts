import type { Ground } from '../ground.ts';

/** What rules are held against, and with what. */
export interface RuleGround extends Pick<Ground, 'table' | 'prose' | 'clock'> {
  /** A new uuid. */
  readonly makeId: () => string;
}
