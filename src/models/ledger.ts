import {
  addUsage,
  checkedUsage,
  noUsage,
  optional,
  type ErrorData,
  type Model,
  type StopReason,
  type Tier,
  type Usage,
} from '../core/index.ts';
import { abortedEnd, type ModelEnd } from './model-end.ts';

/**
 * Wraps a model so that each call is recorded in the ledger. If the reader stops early, the call is
 * recorded as aborted.
 */
export function withLedger(model: Model, tier: Tier, ledger: OpenLedger, now: () => number): Model {
  return {
    id: model.id,
    ...optional('fault', model.fault),
    ...optional('findFault', model.findFault?.bind(model)),
    async *stream(request, signal) {
      const at = now();
      let attempts = 1;
      let end: ModelEnd = abortedEnd(noUsage);
      try {
        for await (const event of model.stream(request, signal)) {
          if (event.type === 'attempt') attempts++;
          if (event.type === 'end') end = event;
          yield event;
        }
      } finally {
        const { reason, error } = end;
        const [usage, durationMs] = [checkedUsage(end.usage), now() - at];
        const answered = end.model ?? model.id;
        ledger.add({
          model: answered,
          tier,
          at,
          durationMs,
          usage,
          attempts,
          reason,
          ...optional('error', error),
        });
      }
    },
  };
}

/** One model call. */
export interface LedgerEntry {
  /** The model that answered, or the requested model if none answered. */
  readonly model: string;
  /** The tier under which the model was requested. */
  readonly tier: Tier;
  /** The time of the call, in milliseconds since the Unix epoch. */
  readonly at: number;
  readonly durationMs: number;
  /** The total usage of all attempts. */
  readonly usage: Usage;
  /** The number of attempts, including failed ones. */
  readonly attempts: number;
  readonly reason: StopReason;
  readonly error?: ErrorData;
}

/** The totals for several calls. */
export interface LedgerTotal {
  readonly calls: number;
  /** The number of calls that ended with an error. */
  readonly failed: number;
  readonly attempts: number;
  readonly durationMs: number;
  readonly usage: Usage;
}

/** The usage and cost of all model calls. */
export interface Ledger {
  /** The last 1,000 calls, oldest first. */
  readonly entries: readonly LedgerEntry[];
  /** The totals of all calls, even those that are no longer in `entries`. */
  readonly total: LedgerTotal;
  /** The totals for each model that answered, keyed by model id. */
  readonly byModel: ReadonlyMap<string, LedgerTotal>;
}

/** A ledger to which entries can be added. */
export interface OpenLedger extends Ledger {
  add(entry: LedgerEntry): void;
}

const maxEntries = 1000;
const nothing: LedgerTotal = { calls: 0, failed: 0, attempts: 0, durationMs: 0, usage: noUsage };

/** Creates an empty ledger that keeps the last 1,000 calls. */
export function createLedger(): OpenLedger {
  let entries: LedgerEntry[] = [];
  let total = nothing;
  const byModel = new Map<string, LedgerTotal>();
  return {
    get entries() {
      return entries.slice(-maxEntries);
    },
    get total() {
      return total;
    },
    byModel,
    add(entry) {
      entries.push(entry);
      if (entries.length >= 2 * maxEntries) entries = entries.slice(-maxEntries);
      total = withEntry(total, entry);
      byModel.set(entry.model, withEntry(byModel.get(entry.model) ?? nothing, entry));
    },
  };
}

function withEntry(before: LedgerTotal, { reason, attempts, durationMs, usage }: LedgerEntry): LedgerTotal {
  return {
    calls: before.calls + 1,
    failed: before.failed + (reason === 'error' ? 1 : 0),
    attempts: before.attempts + attempts,
    durationMs: before.durationMs + durationMs,
    usage: addUsage(before.usage, usage),
  };
}
