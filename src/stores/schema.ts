/** The tables of every SQL store; times are milliseconds since 1970, strings went through `encodeText`. */
export interface Tables {
  readonly runs: RunTable;
  readonly events: EventTable;
  readonly entries: EntryTable;
  readonly migrations: MigrationTable;
}

/** One row for a run; what its events say of it is kept here too, so that listings need no events. */
export interface RunTable {
  readonly run_id: string;
  readonly epoch: string;
  readonly seq: number;
  readonly status: string;
  readonly skill: string;
  readonly session_id: string;
  readonly title: string;
  readonly prepares: string | null;
  readonly owner: string;
  readonly started_at: number;
  readonly updated_at: number;
  readonly beat_at: number;
}

/** One row for an event; `body` is JSON text without what has a column. */
export interface EventTable {
  readonly run_id: string;
  readonly seq: number;
  readonly v: number;
  readonly at: number;
  readonly frame_id: string;
  readonly type: string;
  readonly body: string;
}

/** One row for a value; space and key are addresses, and a long key stands beside its address. */
export interface EntryTable {
  readonly space: string;
  readonly key: string;
  readonly long_key: string | null;
  /** JSON text. */
  readonly value: string;
  readonly expires_at: number | null;
}

/** One row for each migration that was applied. */
export interface MigrationTable {
  readonly number: number;
}
