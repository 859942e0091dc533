import type { Json } from '../../../core/index.ts';
import type { Condition, GroupRequest, MeasureRequest, Sort } from '../request/request.ts';
import type { TableRow } from '../table.ts';
import type { Change, ChangeFault, Written } from './change.ts';

/** The filter, order and limits for a list of records. */
export interface Window {
  readonly where?: Condition;
  /** The sort order. Ties and unsorted lists are ordered by key, so the order is always the same. */
  readonly sort?: readonly Sort[];
  readonly limit?: number;
  readonly offset?: number;
}

/** The step and session that make a change. A session can undo its own last change. */
export interface Author {
  /** The id of the step that makes the change. A change is made only once per id. */
  readonly stepId: string;
  readonly session: string;
}

/** A session's last change, with everything needed to undo it. */
export interface LastWrite {
  readonly stepId: string;
  /** The changes that would undo the last change. Their `before` records are the expected current state. */
  readonly changes: readonly Change[];
  /**
   * The number of changed records. Set only if the change cannot be undone because it is too large or too
   * old.
   */
  readonly unrecoverableCount?: number;
}

/** A table's records in its database. */
export interface Records {
  /**
   * Returns the records in a window, with all their fields, and the total number of matches, ignoring limit
   * and offset.
   */
  list(window: Window): Promise<{ readonly rows: readonly TableRow[]; readonly total: number }>;
  /** Yields all records in a window, in batches. */
  each(window: Window, size: number): AsyncIterable<readonly TableRow[]>;
  count(where?: Condition): Promise<number>;
  /** Computes a measure. Returns null if no record has a value for the field. */
  measure(request: MeasureRequest): Promise<Json>;
  group(request: GroupRequest): Promise<{
    readonly groups: readonly { readonly value: Json; readonly result: Json }[];
    /** The number of groups, ignoring the limit. */
    readonly total: number;
  }>;
  /**
   * Finds all problems that would currently prevent the changes, without saving anything. Does not report
   * records that were modified in the meantime.
   */
  check(changes: readonly Change[]): Promise<readonly ChangeFault[]>;
  /** Makes changes in one transaction, only once per step id, after rechecking all their conditions. */
  write(changes: readonly Change[], author: Author): Promise<Written>;
  /** Returns the result of the change with this step id, or undefined if there is none. */
  written(stepId: string): Promise<Written | undefined>;
  /** Returns the session's last change to this table that has not been undone. */
  lastWrite(session: string): Promise<LastWrite | undefined>;
  /** Undoes a session's change. The undo is itself a change. */
  undo(last: LastWrite, author: Author): Promise<Written>;
}
