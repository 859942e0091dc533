import type { AppendValues } from './append-values.ts';
import type { Dialect } from './dialect.ts';

/** A database that a store writes to. */
export interface Backend {
  readonly dialect: Dialect;
  /** Runs one statement, all or nothing; resolves with its rows. */
  execute(sql: string, parameters: readonly unknown[]): Promise<readonly unknown[]>;
  /** Writes all or nothing; resolves with the place of the last event, or nothing when the epoch does not hold. */
  append(values: AppendValues): Promise<number | undefined>;
  close(): Promise<void>;
}
