import type { Scope } from '../../core/index.ts';
import type { LocalClock } from '../../engines/values/calendar.ts';
import type { Ways } from './conversation/talk.ts';
import type { Records } from './records/records.ts';
import type { ProseRules } from './rules/drafts.ts';
import type { Table } from './table.ts';

/** The context needed to run a request. */
export interface TableContext {
  readonly table: Table;
  readonly records: Records;
  readonly prose: ProseRules;
  readonly clock: LocalClock;
  readonly scope: Scope;
  readonly ways: Ways;
  /** The number of minutes until an unanswered question expires. */
  readonly minutes: number;
  /** The seed for generated keys. It stays the same when the call is retried. */
  readonly seed: string;
}
