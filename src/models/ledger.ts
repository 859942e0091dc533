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

/** The model with each of its calls entered; one whose reader left counts as called off. */
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

/** One call of a model. */
export interface LedgerEntry {
  /** The one that answered, or the one that was asked when none did. */
  readonly model: string;
  /** The name that the model was asked for by. */
  readonly tier: Tier;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly durationMs: number;
  /** Of all attempts. */
  readonly usage: Usage;
  /** The last one included. */
  readonly attempts: number;
  readonly reason: StopReason;
  readonly error?: ErrorData;
}

/** What several calls came to. */
export interface LedgerTotal {
  readonly calls: number;
  /** Those that ended with an error. */
  readonly failed: number;
  readonly attempts: number;
  readonly durationMs: number;
  readonly usage: Usage;
}

/** What models cost. */
export interface Ledger {
  /** The last 1,000 calls, oldest first. */
  readonly entries: readonly LedgerEntry[];
  /** Of all calls, those that are forgotten included. */
  readonly total: LedgerTotal;
  /** By the model that answered. */
  readonly byModel: ReadonlyMap<string, LedgerTotal>;
}

/** A ledger that takes entries. */
export interface OpenLedger extends Ledger {
  add(entry: LedgerEntry): void;
}

const mostEntries = 1000;
const nothing: LedgerTotal = { calls: 0, failed: 0, attempts: 0, durationMs: 0, usage: noUsage };

/** An empty ledger; what it holds stays small however many calls it counts. */
export function createLedger(): OpenLedger {
  let entries: LedgerEntry[] = [];
  let total = nothing;
  const byModel = new Map<string, LedgerTotal>();
  return {
    get entries() {
      return entries.slice(-mostEntries);
    },
    get total() {
      return total;
    },
    byModel,
    add(entry) {
      entries.push(entry);
      if (entries.length >= 2 * mostEntries) entries = entries.slice(-mostEntries);
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
