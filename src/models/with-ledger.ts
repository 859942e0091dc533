import { checkedUsage, noUsage, type Model, type Tier } from '../core/model.ts';
import { optional } from '../core/collections.ts';
import type { OpenLedger } from './ledger.ts';
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
