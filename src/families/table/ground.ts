import type { Scope } from '../../core/index.ts';
import type { Records } from './records/records.ts';
import type { ProseRules } from './rules/prose-rules.ts';
import type { TableClock, Table } from './table.ts';
import type { Ways } from './conversation/talk.ts';

/** All that it takes to carry out a request. */
export interface Ground {
  readonly table: Table;
  readonly records: Records;
  readonly prose: ProseRules;
  readonly clock: TableClock;
  readonly scope: Scope;
  readonly ways: Ways;
  /** How long a question stays open. */
  readonly minutes: number;
  /** What keys are made of: the same whenever this call is tried again. */
  readonly seed: string;
}
