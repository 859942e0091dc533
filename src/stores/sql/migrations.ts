import { sql, type Compilable, type SchemaModule } from 'kysely';
import { AgentError } from '../../core/index.ts';
import type { Dialect } from './dialect.ts';

/** One step of the tables from the version before it to its own; never changed once it was released. */
export interface Migration {
  /** Its version, counted from 1 without gaps. */
  readonly number: number;
  /** The statements that make the step, in order. */
  statements(dialect: Dialect): readonly Compilable[];
}

/** Every step, oldest first. */
export const migrations: readonly Migration[] = [{ number: 1, statements: firstTables }];

/** The table that says which steps were made; it must be there before the first one. */
export function migrationTable({ database }: Dialect): Compilable {
  return database.schema
    .createTable('migrations')
    .ifNotExists()
    .addColumn('number', 'integer', (column) => column.primaryKey());
}

function firstTables({ database, text }: Dialect): readonly Compilable[] {
  const { schema } = database;
  return [...runTables(schema, text), ...eventTables(schema, text), ...entryTables(schema, text)];
}

type Text = Dialect['text'];

function runTables(schema: SchemaModule, text: Text): readonly Compilable[] {
  return [
    schema
      .createTable('runs')
      .addColumn('run_id', text, (column) => column.primaryKey().notNull())
      .addColumn('epoch', text, (column) => column.notNull())
      .addColumn('seq', 'integer', (column) => column.notNull())
      .addColumn('status', text, (column) => column.notNull())
      .addColumn('skill', text, (column) => column.notNull())
      .addColumn('session_id', text, (column) => column.notNull())
      .addColumn('title', text, (column) => column.notNull())
      .addColumn('prepares', text)
      .addColumn('owner', text, (column) => column.notNull())
      .addColumn('started_at', 'double precision', (column) => column.notNull())
      .addColumn('updated_at', 'double precision', (column) => column.notNull())
      .addColumn('beat_at', 'double precision', (column) => column.notNull()),
    schema.createIndex('runs_newest').on('runs').columns(['started_at desc', 'run_id desc']),
    schema.createIndex('runs_by_status').on('runs').columns(['status', 'started_at desc', 'run_id desc']),
    schema
      .createIndex('runs_by_session') // by its beginning: a whole one may be too long for an index
      .on('runs')
      .column(sql`substr(session_id, 1, 64)`)
      .columns(['started_at desc', 'run_id desc']),
    schema.createIndex('runs_by_age').on('runs').columns(['status', 'updated_at']),
  ];
}

function eventTables(schema: SchemaModule, text: Text): readonly Compilable[] {
  return [
    schema
      .createTable('events')
      .addColumn('run_id', text, (column) => column.notNull().references('runs.run_id').onDelete('cascade'))
      .addColumn('seq', 'integer', (column) => column.notNull())
      .addColumn('v', 'integer', (column) => column.notNull())
      .addColumn('at', 'double precision', (column) => column.notNull())
      .addColumn('frame_id', text, (column) => column.notNull())
      .addColumn('type', text, (column) => column.notNull())
      .addColumn('body', text, (column) => column.notNull())
      .addPrimaryKeyConstraint('events_place', ['run_id', 'seq']),
  ];
}

function entryTables(schema: SchemaModule, text: Text): readonly Compilable[] {
  return [
    schema
      .createTable('entries')
      .addColumn('space', text, (column) => column.notNull())
      .addColumn('key', text, (column) => column.notNull())
      .addColumn('long_key', text)
      .addColumn('value', text, (column) => column.notNull())
      .addColumn('expires_at', 'double precision')
      .addPrimaryKeyConstraint('entries_address', ['space', 'key']),
    schema.createIndex('entries_by_age').on('entries').column('expires_at'),
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
