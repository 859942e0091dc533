import {
  byCodeUnits,
  createKeyedQueue,
  type StoreEntry,
  type Epoch,
  type Json,
  type NewEvent,
  type SqlRow,
  type Store,
} from '../../core/index.ts';
import { createLifecycle } from '../lifecycle.ts';
import {
  addressOf,
  decodeText,
  encodeText,
  longTextOf,
  toEvent,
  toRecord,
  type EventRecord,
} from '../encoding.ts';
import { changeOf, newEpoch, claimLostError, conflictError } from '../run-record.ts';
import type { BoundStatement, RunBound, SqlConnection } from './connection.ts';
import type { Dialect, Statement } from './dialect.ts';
import {
  buildRunListing,
  buildRunStatements,
  buildValueStatements,
  toSummary,
  type Address,
  type FenceValues,
  type NewValue,
  type RunRow,
} from './statements.ts';

const pageLength = 500; // The number of events per page.

/**
 * Creates a store on an open connection to a database that already has the store's tables. Closing the store
 * also closes the connection.
 */
export function createSqlStore(connection: SqlConnection, dialect: Dialect, append: WriteAppend): Store {
  const onRuns = buildRunStatements(dialect);
  const onValues = buildValueStatements(dialect);
  const queue = createKeyedQueue();
  const lifecycle = createLifecycle('store', () => connection.close());
  const execute = async <Row>(statement: BoundStatement): Promise<readonly Row[]> => {
    const [rows] = await lifecycle.during(() => connection.batch([statement]));
    return rows as readonly unknown[] as readonly Row[];
  };
  const ask = <Values, Row>(statement: Statement<Values, Row>, values: Values): Promise<readonly Row[]> =>
    execute(statement.bind(values));

  /**
   * Throws if a stored value is not the expected one. If the claim was lost as well, throws the error for the
   * lost claim instead.
   */
  const mustBeExpected = async (
    run: RunBound,
    entries: readonly StoreEntry[],
    claim: { readonly runId: string; readonly epoch: string },
  ): Promise<void> => {
    for (const { space, key, expected } of entries) {
      const [row] = await run(onValues.hold.bind(toAddress(space, key)));
      if (row?.['value'] === jsonOf(expected?.value)) continue;
      if ((await run(onRuns.isCurrent.bind(claim))).length > 0) throw conflictError(key);
    }
  };

  return {
    async claim(id, owner, held) {
      const epoch = newEpoch();
      const claim = { runId: encodeText(id), epoch, owner: encodeText(owner) };
      if (held === undefined) {
        await ask(onRuns.claim, claim);
        return epoch;
      }
      const taken = await ask(onRuns.takeFrom, { ...claim, held: held.epoch, seq: held.seq });
      if (taken.length === 0) throw claimLostError(id);
      return epoch;
    },
    append: (runId, epoch, events, entries = []) =>
      lifecycle.during(async () => {
        const statements = append(buildAppendValues(runId, epoch, events, entries));
        const expected = entries.filter((entry) => entry.expected !== undefined);
        const write = async (): Promise<SqlRow | undefined> =>
          expected.length === 0
            ? (await connection.batch(statements))[0]?.[0]
            : connection.transact(async (run) => {
                const claim = { runId: encodeText(runId), epoch: encodeText(epoch) };
                await mustBeExpected(run, expected, claim);
                const rows: (readonly SqlRow[])[] = [];
                for (const statement of statements) rows.push(await run(statement));
                return rows[0]?.[0];
              });
        const end = await queue.run(runId, write);
        if (end === undefined) throw claimLostError(runId);
        return Number(end['seq']);
      }),
    async beat(claims) {
      const held = await ask(onRuns.beat, { claims: toPairs(claims) });
      const lost = new Set(claims.keys());
      for (const { run_id } of held) lost.delete(decodeText(run_id));
      return lost;
    },
    async release(claims) {
      await ask(onRuns.release, { claims: toPairs(claims), epoch: newEpoch() });
    },
    async *read(id, fromSeq = 1) {
      const runId = encodeText(id);
      for (let next = Math.max(1, Math.ceil(fromSeq)); ; next += pageLength) {
        const page = await ask(onRuns.page, { runId, fromSeq: next, limit: pageLength });
        for (const { seq, ...record } of page) yield toEvent(id, seq, record);
        if (page.length < pageLength) return;
      }
    },
    runs: async (query = {}) => (await execute<RunRow>(buildRunListing(dialect, query))).map(toSummary),
    async remove(ids) {
      return (await ask(onRuns.remove, { runIds: JSON.stringify(ids.map(encodeText)) })).length;
    },
    async expire(before) {
      await ask(onValues.expire, {});
      return (await ask(onRuns.expire, { before })).length;
    },
    async get(space, key) {
      const [row] = await ask(onValues.get, toAddress(space, key));
      return row && (JSON.parse(row.value) as Json);
    },
    async set(...value) {
      await ask(onValues.set, toNewValue(...value));
    },
    add: async (...value) => (await ask(onValues.add, toNewValue(...value))).length > 0,
    async swap(space, key, expected, value, ttl) {
      const address = toAddress(space, key);
      const before = jsonOf(expected);
      if (value === undefined)
        return before === undefined
          ? (await ask(onValues.get, address)).length === 0
          : (await ask(onValues.drop, { ...address, expected: before })).length > 0;
      const added = toNewValue(space, key, value, ttl);
      return before === undefined
        ? (await ask(onValues.add, added)).length > 0
        : (await ask(onValues.replace, { ...added, expected: before })).length > 0;
    },
    async delete(space, key) {
      await ask(onValues.delete, toAddress(space, key));
    },
    async clear(space) {
      await ask(onValues.clear, { space: addressOf(space) });
    },
    async entries(space) {
      const rows = await ask(onValues.entries, { space: addressOf(space) });
      return new Map(
        rows
          .map(({ key, long_key, value }) => [decodeText(long_key ?? key), value] as const)
          .sort(([a], [b]) => byCodeUnits(a, b))
          .map(([key, value]) => [key, JSON.parse(value) as Json]),
      );
    },
    close: () => lifecycle.end(),
  };
}

function jsonOf(value: Json | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

function toPairs(claims: ReadonlyMap<string, Epoch>): string {
  return JSON.stringify([...claims].map((pair) => pair.map(encodeText)));
}

function toAddress(space: string, key: string): Address {
  return { space: addressOf(space), key: addressOf(key) };
}

function toNewValue(space: string, key: string, value: Json, ttlMs?: number): NewValue {
  const text = JSON.stringify(value);
  return { ...toAddress(space, key), longKey: longTextOf(key), value: text, ttlMs: ttlMs ?? null };
}

/**
 * Builds the statements of an append, which run as one transaction. The first statement returns a row with
 * the `seq` of the last event. If the epoch is no longer current, it returns no row, and the other statements
 * write nothing.
 */
export type WriteAppend = (values: AppendValues) => readonly BoundStatement[];

/** The values that an append writes, in their stored form. */
export interface AppendValues {
  readonly fence: FenceValues;
  readonly records: readonly EventRecord[];
  /** The values to set. An address occurs at most once in `saved` and `dropped` together. */
  readonly saved: readonly NewValue[];
  readonly dropped: readonly Address[];
}

/**
 * Returns the values that an append writes, in their stored form. If several entries have the same address,
 * only the last one is used. Pure.
 */
function buildAppendValues(
  runId: string,
  epoch: Epoch,
  events: readonly NewEvent[],
  entries: readonly StoreEntry[],
): AppendValues {
  const { status = null, skill, session, title, prepares, user } = changeOf(events);
  const saved: NewValue[] = [];
  const dropped: Address[] = [];
  for (const { space, key, value } of lastOfEach(entries)) {
    if (value === undefined) dropped.push(toAddress(space, key));
    else saved.push(toNewValue(space, key, value));
  }
  return {
    fence: {
      runId: encodeText(runId),
      epoch: encodeText(epoch),
      count: events.length,
      status,
      skill: textOf(skill),
      session: textOf(session),
      title: textOf(title),
      prepares: textOf(prepares),
      user: textOf(user),
    },
    records: events.map(toRecord),
    saved,
    dropped,
  };
}

function textOf(text: string | undefined): string | null {
  return text === undefined ? null : encodeText(text);
}

// Returns the last entry for each address, sorted by address so that concurrent writers cannot deadlock.
function lastOfEach(entries: readonly StoreEntry[]): readonly StoreEntry[] {
  const last = new Map(entries.map((entry) => [JSON.stringify([entry.space, entry.key]), entry]));
  return [...last].sort(([a], [b]) => byCodeUnits(a, b)).map(([, entry]) => entry);
}
