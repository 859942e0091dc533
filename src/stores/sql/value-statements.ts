import { compile, type Dialect, type Statement } from './dialect.ts';

/** The statements about values. */
interface ValueStatements {
  readonly get: Statement<Address, { value: string }>;
  readonly set: Statement<NewValue, unknown>;
  /** Gives a row when it did. */
  readonly add: Statement<NewValue, { key: string }>;
  readonly delete: Statement<Address, unknown>;
  readonly clear: Statement<{ space: string }, unknown>;
  readonly entries: Statement<{ space: string }, { key: string; long_key: string | null; value: string }>;
  readonly expire: Statement<object, unknown>;
}

/** Where a value is. */
export interface Address {
  readonly space: string;
  readonly key: string;
}

/** A value as it is put in; without `ttlMs` it stays. */
export interface NewValue extends Address {
  /** The key itself where it is too long to be its own address. */
  readonly longKey: string | null;
  /** JSON text. */
  readonly value: string;
  readonly ttlMs: number | null;
}

/** Compiles the statements about values. */
export function buildValueStatements(dialect: Dialect): ValueStatements {
  const { now } = dialect;
  const entries = dialect.table('entries');
  const isAlive = `(expires_at is null or expires_at > ${now})`;
  const put = `insert into ${entries} (space, key, long_key, value, expires_at)
    values (:space, :key, :longKey, :value, ${now} + cast(:ttlMs as double precision))
    on conflict (space, key) do update set value = excluded.value, expires_at = excluded.expires_at`;

  return {
    get: compile(dialect, `select value from ${entries} where space = :space and key = :key and ${isAlive}`),
    set: compile(dialect, put),
    add: compile(dialect, `${put} where ${entries}.expires_at <= ${now} returning key`),
    delete: compile(dialect, `delete from ${entries} where space = :space and key = :key`),
    clear: compile(dialect, `delete from ${entries} where space = :space`),
    entries: compile(
      dialect,
      `select key, long_key, value from ${entries} where space = :space and ${isAlive}`,
    ),
    expire: compile(dialect, `delete from ${entries} where expires_at <= ${now}`),
  };
}
