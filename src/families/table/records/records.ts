import type { Json } from '../../../core/index.ts';
import type { Condition, GroupRequest, MeasureRequest, Sort } from '../request/request.ts';
import type { TableRow } from '../table.ts';
import type { Change, ChangeFault, Written } from './change.ts';

/** Which records, in which order, and how many of them. */
export interface Window {
  readonly where?: Condition;
  /** Then, and unless given, by key: the order is always the same. */
  readonly sort?: readonly Sort[];
  readonly limit?: number;
  readonly offset?: number;
}

/** Who makes a change; what a session changed last, it can take back. */
export interface Author {
  /** Of the step that makes it: the same change is never made twice under one id. */
  readonly stepId: string;
  readonly session: string;
}

/** A change that can be taken back. */
export interface LastWrite {
  readonly stepId: string;
  /** The changes that would take it back; `before` is what the records are now expected to be. */
  readonly changes: readonly Change[];
  /** Set when it cannot be taken back, since it was too large or is too old: how many records it changed. */
  readonly notKept?: number;
}

/** The records of one table in its database. */
export interface Records {
  /** Whole records of a window, and how many there are without limit and offset. */
  list(window: Window): Promise<{ readonly rows: readonly TableRow[]; readonly total: number }>;
  /** All records of a window, some at a time. */
  each(window: Window, size: number): AsyncIterable<readonly TableRow[]>;
  count(where?: Condition): Promise<number>;
  /** Null when no record has a value. */
  measure(request: MeasureRequest): Promise<Json>;
  group(request: GroupRequest): Promise<{
    readonly groups: readonly { readonly value: Json; readonly result: Json }[];
    /** How many there are without the limit. */
    readonly total: number;
  }>;
  /** What would keep changes from being made at this moment; nothing of them stays. A record that changed since is no fault here. */
  check(changes: readonly Change[]): Promise<readonly ChangeFault[]>;
  /** Makes changes in one transaction, once per step id, after looking again at everything that they depend on. */
  write(changes: readonly Change[], author: Author): Promise<Written>;
  /** What came of the change that was made under a step id; undefined when none was. */
  written(stepId: string): Promise<Written | undefined>;
  /** The last change of a session to this table that was not taken back. */
  lastWrite(session: string): Promise<LastWrite | undefined>;
  /** Takes back a change of a session, as a change of its own. */
  undo(last: LastWrite, author: Author): Promise<Written>;
}
