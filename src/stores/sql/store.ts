import {
  byCodeUnits,
  createKeyedQueue,
  type Entry,
  type Epoch,
  type Json,
  type NewEvent,
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
import { changeOf, newEpoch, overtakenError } from '../run-record.ts';
import type { BoundStatement, SqlConnection } from './connection.ts';
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

const pageLength = 500; // events

/** A store on an open connection, which it closes; its tables must be there. */
export function createSqlStore(connection: SqlConnection, dialect: Dialect, append: WriteAppend): Store {
  const onRuns = buildRunStatements(dialect);
  const onValues = buildValueStatements(dialect);
  const queue = createKeyedQueue();
  const life = createLifecycle('store', () => connection.close());
  const execute = async <Row>(statement: BoundStatement): Promise<readonly Row[]> => {
    const [rows] = await life.during(() => connection.batch([statement]));
    return rows as readonly unknown[] as readonly Row[];
  };
  const ask = <Values, Row>(statement: Statement<Values, Row>, values: Values): Promise<readonly Row[]> =>
    execute(statement.bind(values));

  return {
    async claim(id, owner, held) {
      const epoch = newEpoch();
      const claim = { runId: encodeText(id), epoch, owner: encodeText(owner) };
      if (held === undefined) {
        await ask(onRuns.claim, claim);
        return epoch;
      }
      const taken = await ask(onRuns.takeFrom, { ...claim, held: held.epoch, seq: held.seq });
      if (taken.length === 0) throw overtakenError(id);
      return epoch;
    },
    append: (runId, epoch, events, entries = []) =>
      life.during(async () => {
        const values = buildAppendValues(runId, epoch, events, entries);
        const [[end] = []] = await queue.run(runId, () => connection.batch(append(values)));
        if (end === undefined) throw overtakenError(runId);
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
    close: () => life.end(),
  };
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
 * Writes an append as the statements of one transaction. The first one gives a row with the `seq` of the last event, or
 * no row when the epoch does not hold; then the others write nothing.
 */
export type WriteAppend = (values: AppendValues) => readonly BoundStatement[];

/** Everything that one append writes, ready for a database. */
export interface AppendValues {
  readonly fence: FenceValues;
  readonly records: readonly EventRecord[];
  /** No two of these and of `dropped` have the same address. */
  readonly kept: readonly NewValue[];
  readonly dropped: readonly Address[];
}

/** What an append writes; of several entries with one address the last one counts. Pure. */
function buildAppendValues(
  runId: string,
  epoch: Epoch,
  events: readonly NewEvent[],
  entries: readonly Entry[],
): AppendValues {
  const { status = null, skill, session, title, prepares } = changeOf(events);
  const kept: NewValue[] = [];
  const dropped: Address[] = [];
  for (const { space, key, value } of lastOfEach(entries)) {
    if (value === undefined) dropped.push(toAddress(space, key));
    else kept.push(toNewValue(space, key, value));
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
    },
    records: events.map(toRecord),
    kept,
    dropped,
  };
}

function textOf(text: string | undefined): string | null {
  return text === undefined ? null : encodeText(text);
}

// In one order for everybody, so that two writers never wait for each other crosswise.
function lastOfEach(entries: readonly Entry[]): readonly Entry[] {
  const last = new Map(entries.map((entry) => [JSON.stringify([entry.space, entry.key]), entry]));
  return [...last].sort(([a], [b]) => byCodeUnits(a, b)).map(([, entry]) => entry);
}
