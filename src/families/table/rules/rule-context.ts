import type { TableContext } from '../table-context.ts';

/** The context for checking rules. */
export interface RuleContext extends Pick<TableContext, 'table' | 'prose' | 'clock'> {
  /** Returns a new UUID. */
  readonly makeId: () => string;
}
