import {
  byCodeUnits,
  hasEnded,
  silentAfter,
  type Epoch,
  type Held,
  type NewEvent,
  type RunEvent,
  type RunQuery,
  type RunStatus,
  type RunSummary,
} from '../core/index.ts';
import { toEvent, toRecord, type EventRecord } from './encoding.ts';
import { changeOf, newEpoch, claimLostError, runLimitOf } from './run-record.ts';

/** The runs of a memory store. All methods are synchronous. */
interface MemoryRuns {
  claim(runId: string, owner: string, held?: Held): Epoch;
  append(runId: string, epoch: Epoch, events: readonly NewEvent[]): number;
  beat(claims: ReadonlyMap<string, Epoch>): ReadonlySet<string>;
  release(claims: ReadonlyMap<string, Epoch>): void;
  /** Returns the event with a sequence number, or undefined if the run has no such event. */
  at(runId: string, seq: number): RunEvent | undefined;
  list(query: RunQuery): readonly RunSummary[];
  remove(runIds: readonly string[]): number;
  expire(before: number): number;
  clear(): void;
}

interface Run {
  summary: RunSummary;
  readonly records: EventRecord[];
}

// The minimum difference between the start times of two runs, in milliseconds. It keeps the order of runs
// unambiguous.
const leastApart = 0.001;

/**
 * Creates an empty list of runs. Once more than `maxEnded` runs have ended, the list drops those that ended
 * first.
 */
export function createMemoryRuns(maxEnded: number): MemoryRuns {
  const runs = new Map<string, Run>();
  const ended = new Set<string>(); // The ids of the ended runs, in the order in which they ended.
  const sessions = createSessionIndex();

  let newest = 0; // The start time of the newest run, in milliseconds since the Unix epoch.
  const noteEnd = (runId: string, status: RunStatus | undefined): void => {
    if (status === undefined) return;
    ended.delete(runId);
    if (hasEnded(status)) ended.add(runId);
    const [oldest] = ended;
    if (oldest !== undefined && ended.size > maxEnded) drop(oldest);
  };
  const drop = (runId: string): boolean => {
    ended.delete(runId);
    sessions.move(runId, runs.get(runId)?.summary.session, undefined);
    return runs.delete(runId);
  };
  const candidates = ({ ids, session }: RunQuery): Iterable<string> => {
    if (ids !== undefined) return new Set(ids);
    return session === undefined ? runs.keys() : sessions.runsOf(session);
  };

  return {
    claim(runId, owner, held) {
      const now = Date.now();
      const epoch = newEpoch();
      const run = runs.get(runId);
      if (held !== undefined && !isHeld(held, run?.summary)) throw claimLostError(runId);
      if (run === undefined) {
        newest = Math.max(now, newest + leastApart);
        runs.set(runId, { summary: newSummary(runId, epoch, owner, newest), records: [] });
        sessions.move(runId, undefined, '');
      } else run.summary = { ...run.summary, epoch, owner, beatAt: now };
      return epoch;
    },
    append(runId, epoch, events) {
      const records = events.map(toRecord);
      const run = runs.get(runId);
      if (run?.summary.epoch !== epoch) throw claimLostError(runId);
      const now = Date.now();
      for (const record of records) run.records.push(record);
      const seq = run.records.length;
      const change = changeOf(events);
      const { session } = run.summary;
      run.summary = { ...run.summary, ...change, seq, updatedAt: now, beatAt: now };
      sessions.move(runId, session, run.summary.session);
      noteEnd(runId, change.status);
      return seq;
    },
    beat(claims) {
      const lost = new Set<string>();
      for (const [runId, epoch] of claims) {
        const run = runs.get(runId);
        if (run?.summary.epoch === epoch) run.summary = { ...run.summary, beatAt: Date.now() };
        else lost.add(runId);
      }
      return lost;
    },
    release(claims) {
      for (const [runId, epoch] of claims) {
        const run = runs.get(runId);
        if (run?.summary.epoch === epoch) run.summary = { ...run.summary, epoch: newEpoch(), beatAt: 0 };
      }
    },
    at(runId, seq) {
      const record = runs.get(runId)?.records[seq - 1];
      return record && toEvent(runId, seq, record);
    },
    list(query) {
      const meant: RunSummary[] = [];
      for (const runId of candidates(query)) {
        const summary = runs.get(runId)?.summary;
        if (summary === undefined) continue;
        const status = statusOf(summary);
        if (isMeant(summary, status, query)) meant.push({ ...summary, status });
      }
      return meant.sort(newestFirst).slice(0, runLimitOf(query));
    },
    remove: (runIds) => runIds.filter(drop).length,
    expire(before) {
      const old = [...runs.values()].filter(
        ({ summary }) => hasEnded(summary.status) && summary.updatedAt < before,
      );
      for (const { summary } of old) drop(summary.id);
      return old.length;
    },
    clear: () => {
      runs.clear();
      ended.clear();
      sessions.clear();
    },
  };
}

function isHeld({ epoch, seq }: Held, summary: RunSummary | undefined): boolean {
  return summary?.epoch === epoch && summary.seq === seq;
}

function newSummary(id: string, epoch: Epoch, owner: string, now: number): RunSummary {
  const times = { startedAt: now, updatedAt: now, beatAt: now };
  return { id, skill: '', session: '', title: '', status: 'running', seq: 0, epoch, owner, ...times };
}

function statusOf({ status, beatAt }: RunSummary): RunStatus {
  return status === 'running' && beatAt < Date.now() - silentAfter ? 'interrupted' : status;
}

function isMeant(summary: RunSummary, shown: RunStatus, query: RunQuery): boolean {
  const { ids, idPrefix = '', status, session, user, after, preparations = ids !== undefined } = query;
  if (session !== undefined && summary.session !== session) return false;
  if (user !== undefined && summary.user !== user) return false;
  if (after !== undefined && newestFirst(after, summary) >= 0) return false;
  if (status !== undefined && !status.includes(shown)) return false;
  if (!summary.id.startsWith(idPrefix)) return false;
  return preparations || summary.prepares === undefined;
}

type Position = Pick<RunSummary, 'startedAt' | 'id'>;

function newestFirst(one: Position, other: Position): number {
  return other.startedAt - one.startedAt || byCodeUnits(other.id, one.id);
}

/** The runs of each session. A session without runs uses no memory. */
interface SessionIndex {
  runsOf(session: string): Iterable<string>;
  /** Moves a run from its previous session, if any, to the session `to`. */
  move(runId: string, from: string | undefined, to: string | undefined): void;
  clear(): void;
}

function createSessionIndex(): SessionIndex {
  const sessions = new Map<string, Set<string>>();

  return {
    runsOf: (session) => sessions.get(session) ?? [],
    move(runId, from, to) {
      if (from === to) return;
      const before = from === undefined ? undefined : sessions.get(from);
      before?.delete(runId);
      if (from !== undefined && before?.size === 0) sessions.delete(from);
      if (to !== undefined) sessions.set(to, (sessions.get(to) ?? new Set<string>()).add(runId));
    },
    clear: () => sessions.clear(),
  };
}
