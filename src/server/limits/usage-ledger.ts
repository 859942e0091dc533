import { hasEnded, type RunSummary, type Store } from '../../core/index.ts';
import { createUsageFold, dayOf, type UsageEntry } from '../../views/index.ts';

/** The usage of all runs in a store, kept up to date from their logs. */
export interface UsageLedger {
  /** Returns the usage until now, or until at most `freshMs` ago. */
  read(): Promise<readonly UsageEntry[]>;
}

/** Options for a usage ledger. */
export interface UsageLedgerOptions {
  /** The number of days to keep, today included. Default: 31. */
  readonly days?: number;
  /** The time for which a result is used without reading new events, in milliseconds. Default: 1,000. */
  readonly freshMs?: number;
  readonly now?: () => number;
}

const dayMs = 86_400_000;
const pageLength = 200;
const slackMs = 60_000; // A run can appear in the list later than one that started after it.

/**
 * Opens the usage ledger of a store. It reads each event once: after the first time, only new events of runs
 * that have not ended. Concurrent readers share one pass.
 */
export function createUsageLedger(store: Store, options: UsageLedgerOptions = {}): UsageLedger {
  const { days = 31, freshMs = 1_000, now = Date.now } = options;
  const fold = createUsageFold();
  const open = new Set<string>();
  const ended = new Map<string, number>(); // The start times of recent runs that have ended.
  let listedUntil: number | undefined; // All runs that started before this time are known.
  let last: { readonly at: number; readonly pass: Promise<void> } | undefined;

  const addRun = async ({ id, seq, status, startedAt }: RunSummary): Promise<void> => {
    if (ended.has(id)) return;
    if (seq > fold.watermark(id))
      for await (const event of store.read(id, fold.watermark(id) + 1)) fold.add(event);
    if (hasEnded(status)) {
      open.delete(id);
      ended.set(id, startedAt);
      fold.release(id);
    } else open.add(id);
  };

  /** Adds all runs that started at or after a time, newest first. */
  const addSince = async (from: number): Promise<void> => {
    let after: Pick<RunSummary, 'startedAt' | 'id'> | undefined;
    for (;;) {
      const query = { preparations: true, limit: pageLength, ...(after === undefined ? {} : { after }) };
      const page = await store.runs(query);
      for (const run of page) {
        if (run.startedAt < from) return;
        await addRun(run);
      }
      after = page.at(-1);
      if (after === undefined || page.length < pageLength) return;
    }
  };

  /** Adds the runs that started too long ago to be listed, and have not ended. */
  const addOlder = async (): Promise<void> => {
    const status = ['running', 'waiting', 'interrupted'] as const;
    for (const run of await store.runs({ status, preparations: true, limit: Infinity })) await addRun(run);
  };

  const addOpen = async (): Promise<void> => {
    const ids = [...open];
    for (let from = 0; from < ids.length; from += pageLength) {
      const some = ids.slice(from, from + pageLength);
      const found = await store.runs({ ids: some, preparations: true, limit: some.length });
      for (const run of found) await addRun(run);
      const there = new Set(found.map(({ id }) => id));
      for (const id of some.filter((one) => !there.has(one))) {
        open.delete(id); // The run was removed. What it used stays.
        fold.release(id);
      }
    }
  };

  const pass = async (): Promise<void> => {
    const begun = now();
    const first = startOfDay(begun) - (days - 1) * dayMs;
    if (listedUntil === undefined) await addOlder();
    await addSince(Math.max(first, (listedUntil ?? 0) - slackMs));
    await addOpen();
    listedUntil = begun;
    for (const [id, startedAt] of ended) if (startedAt < begun - 2 * slackMs) ended.delete(id);
    fold.dropBefore(dayOf(first));
  };

  return {
    async read() {
      if (last === undefined || now() - last.at >= freshMs) {
        // A pass in progress ends first, so that no event is read twice.
        const before = last?.pass.catch(() => undefined);
        const next = { at: now(), pass: (before ?? Promise.resolve()).then(pass) };
        last = next;
        next.pass.catch(() => {
          if (last === next) last = undefined; // The next reader tries again.
        });
      }
      await last.pass;
      return fold.entries();
    },
  };
}

function startOfDay(at: number): number {
  return at - (at % dayMs);
}
