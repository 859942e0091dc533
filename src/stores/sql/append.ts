import { byCodeUnits, type Entry, type Epoch, type NewEvent } from '../../core/index.ts';
import { addressOf, encodeText, longTextOf, toRecord, type EventRecord } from '../encoding.ts';
import { changeOf } from '../run-record.ts';
import type { BoundStatement } from './connection.ts';
import type { FenceValues } from './run-statements.ts';
import type { Address, NewValue } from './value-statements.ts';

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

/** What an append comes to; of several entries with one address the last one counts. Pure. */
export function buildAppendValues(
  runId: string,
  epoch: Epoch,
  events: readonly NewEvent[],
  entries: readonly Entry[],
): AppendValues {
  const { status = null, skill, session, title, prepares } = changeOf(events);
  const change = { status, skill: textOf(skill), session: textOf(session), title: textOf(title) };
  const kept: NewValue[] = [];
  const dropped: Address[] = [];
  for (const { space, key, value } of lastOfEach(entries)) {
    const address = { space: addressOf(space), key: addressOf(key) };
    if (value === undefined) dropped.push(address);
    else kept.push({ ...address, longKey: longTextOf(key), value: JSON.stringify(value), ttlMs: null });
  }
  return {
    fence: {
      ...{ runId: encodeText(runId), epoch: encodeText(epoch), count: events.length },
      ...{ ...change, prepares: textOf(prepares) },
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
