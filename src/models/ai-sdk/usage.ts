import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { Price } from '../../core/model/sources.ts';
import { noUsage, type Usage } from '../../core/model.ts';

/** What a provider counted, as our bill; without a price the provider's own figure is the cost where it states one. Pure. */
export function toUsage(counted: LanguageModelV4Usage | undefined, price: Price | undefined): Usage {
  if (counted === undefined) return noUsage;
  const { total, noCache, cacheRead, cacheWrite } = counted.inputTokens;
  const cached = countOf(cacheRead);
  const written = countOf(cacheWrite);
  const usage: Usage = {
    inputTokens: countOf(total) || countOf(noCache) + cached + written,
    outputTokens: countOf(counted.outputTokens.total),
    ...(cached > 0 ? { cachedTokens: cached } : {}),
    ...(written > 0 ? { cacheWriteTokens: written } : {}),
  };
  const cost = price === undefined ? statedCost(counted) : costOf(usage, price);
  return cost === undefined ? usage : { ...usage, cost };
}

/** US dollars. */
function costOf(usage: Usage, price: Price): number {
  const { inputTokens, outputTokens, cachedTokens = 0, cacheWriteTokens = 0 } = usage;
  const others = Math.max(0, inputTokens - cachedTokens - cacheWriteTokens);
  const sum =
    others * price.input +
    cachedTokens * (price.cached ?? price.input) +
    cacheWriteTokens * (price.cacheWrite ?? price.input) +
    outputTokens * price.output;
  return sum / 1_000_000;
}

// OpenRouter says in dollars what an answer cost.
function statedCost({ raw }: LanguageModelV4Usage): number | undefined {
  const cost = raw?.['cost'];
  return typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? cost : undefined;
}

function countOf(value: number | undefined): number {
  return value !== undefined && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}
