import type { TableContext } from '../table-context.ts';

/** Everything needed to check rules. */
export interface RuleContext extends Pick<TableContext, 'table' | 'prose' | 'clock'> {
  /** Returns a new UUID. */
  readonly makeId: () => string;
}
