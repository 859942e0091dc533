import { AgentError } from '../../core/index.ts';
import type { Dialect } from './dialect.ts';

/** One step of the tables from the version before it to its own; never changed once it was released. */
export interface Migration {
  /** Its version, counted from 1 without gaps. */
  readonly number: number;
  /** The statements that make the step, in order; their text stays the same to the letter. */
  statements(dialect: Dialect): readonly string[];
}

/** Every step, oldest first. */
export const migrations: readonly Migration[] = [{ number: 1, statements: firstTables }];

/** The table that says which steps were made; it must be there before the first one. */
export function migrationTable({ table }: Dialect): string {
  return `create table if not exists ${table('migrations')} ("number" integer primary key)`;
}

function firstTables(dialect: Dialect): readonly string[] {
  return [...runTables(dialect), ...eventTables(dialect), ...entryTables(dialect)];
}

function runTables({ table, text }: Dialect): readonly string[] {
  const runs = table('runs');
  const columns = [
    `"run_id" ${text} not null primary key`,
    `"epoch" ${text} not null`,
    '"seq" integer not null',
    `"status" ${text} not null`,
    `"skill" ${text} not null`,
    `"session_id" ${text} not null`,
    `"title" ${text} not null`,
    `"prepares" ${text}`,
    `"owner" ${text} not null`,
    '"started_at" double precision not null',
    '"updated_at" double precision not null',
    '"beat_at" double precision not null',
  ];
  return [
    `create table ${runs} (${columns.join(', ')})`,
    `create index "runs_newest" on ${runs} ("started_at" desc, "run_id" desc)`,
    `create index "runs_by_status" on ${runs} ("status", "started_at" desc, "run_id" desc)`,
    // By its beginning: a whole session may be too long for an index.
    `create index "runs_by_session" on ${runs} (substr(session_id, 1, 64), "started_at" desc, "run_id" desc)`,
    `create index "runs_by_age" on ${runs} ("status", "updated_at")`,
  ];
}

function eventTables({ table, text }: Dialect): readonly string[] {
  const columns = [
    `"run_id" ${text} not null references ${table('runs')} ("run_id") on delete cascade`,
    '"seq" integer not null',
    '"v" integer not null',
    '"at" double precision not null',
    `"frame_id" ${text} not null`,
    `"type" ${text} not null`,
    `"body" ${text} not null`,
    'constraint "events_place" primary key ("run_id", "seq")',
  ];
  return [`create table ${table('events')} (${columns.join(', ')})`];
}

function entryTables({ table, text }: Dialect): readonly string[] {
  const columns = [
    `"space" ${text} not null`,
    `"key" ${text} not null`,
    `"long_key" ${text}`,
    `"value" ${text} not null`,
    '"expires_at" double precision',
    'constraint "entries_address" primary key ("space", "key")',
  ];
  return [
    `create table ${table('entries')} (${columns.join(', ')})`,
    `create index "entries_by_age" on ${table('entries')} ("expires_at")`,
  ];
}

/** The steps that a database still needs, oldest first; throws when it knows newer ones than this package. Pure. */
export function pendingOf<Step extends { readonly number: number }>(
  known: readonly Step[],
  applied: readonly number[],
  place: string,
): readonly Step[] {
  const newest = Math.max(0, ...applied);
  const ours = Math.max(0, ...known.map(({ number }) => number));
  if (newest > ours) {
    throw new AgentError(
      'sandbox.store',
      `The store ${place} was written by a newer version of skilled (its tables have version ${newest}, this one knows ${ours}).`,
      { hint: 'Update the package, or name another store.' },
    );
  }
  return known.filter(({ number }) => number > newest);
}
