import type { Price } from '../../core/index.ts';

/** The month in which these prices were collected. The settings can override them. */
export const pricesOf = '2026-11';

// The list prices of the providers' standard tier, in US dollars per million tokens. Cache writes are
// listed at the price of the shortest retention. Long prompts cost more than listed: above 100,000 tokens
// with Haiku 5.5 (five times), 200,000 with Gemini Pro, and 272,000 with most GPT models since 5.4.
// Google's aliases have no price, because an alias can refer to a different model later.
const table: Readonly<Record<string, Price>> = {
  'anthropic/claude-fable-5-1': { input: 10, output: 50, cached: 0.25, cacheWrite: 12.5 },
  'anthropic/claude-fable-5': { input: 10, output: 50, cached: 1, cacheWrite: 12.5 },
  'anthropic/claude-opus-5-5': { input: 4, output: 20, cached: 0.2, cacheWrite: 5 },
  'anthropic/claude-opus-5': { input: 5, output: 25, cached: 0.5, cacheWrite: 6.25 },
  'anthropic/claude-opus-4-8': { input: 5, output: 25, cached: 0.5, cacheWrite: 6.25 },
  'anthropic/claude-opus-4-7': { input: 5, output: 25, cached: 0.5, cacheWrite: 6.25 },
  'anthropic/claude-opus-4-6': { input: 5, output: 25, cached: 0.5, cacheWrite: 6.25 },
  'anthropic/claude-opus-4-5': { input: 5, output: 25, cached: 0.5, cacheWrite: 6.25 },
  'anthropic/claude-opus-4-1': { input: 15, output: 75, cached: 1.5, cacheWrite: 18.75 },
  'anthropic/claude-opus-4-0': { input: 15, output: 75, cached: 1.5, cacheWrite: 18.75 },
  'anthropic/claude-opus-4': { input: 15, output: 75, cached: 1.5, cacheWrite: 18.75 },
  'anthropic/claude-sonnet-5-5': { input: 2, output: 10, cached: 0.2, cacheWrite: 2.5 },
  'anthropic/claude-sonnet-5': { input: 2, output: 10, cached: 0.2, cacheWrite: 2.5 },
  'anthropic/claude-sonnet-4-6': { input: 3, output: 15, cached: 0.3, cacheWrite: 3.75 },
  'anthropic/claude-sonnet-4-5': { input: 3, output: 15, cached: 0.3, cacheWrite: 3.75 },
  'anthropic/claude-sonnet-4-0': { input: 3, output: 15, cached: 0.3, cacheWrite: 3.75 },
  'anthropic/claude-sonnet-4': { input: 3, output: 15, cached: 0.3, cacheWrite: 3.75 },
  'anthropic/claude-haiku-5-5': { input: 0.1, output: 0.5, cached: 0.01, cacheWrite: 0.125 },
  'anthropic/claude-haiku-4-5': { input: 1, output: 5, cached: 0.1, cacheWrite: 1.25 },
  'anthropic/claude-3-haiku': { input: 0.25, output: 1.25, cached: 0.03, cacheWrite: 0.3 },
  'openai/gpt-6.1-sol': { input: 2, output: 10, cached: 0.1, cacheWrite: 2.5 },
  'openai/gpt-6.1-terra': { input: 1, output: 5, cached: 0.05, cacheWrite: 1.25 },
  'openai/gpt-6-astra': { input: 10, output: 50, cached: 1, cacheWrite: 12.5 },
  'openai/gpt-6-sol': { input: 2, output: 10, cached: 0.2, cacheWrite: 2.5 },
  'openai/gpt-6-luna': { input: 0.1, output: 0.5, cached: 0.01, cacheWrite: 0.125 },
  // A discounted price until at least 21 November 2026. The regular price is 5 for input and 30 for output.
  'openai/gpt-5.6-sol': { input: 4, output: 20, cached: 0.4, cacheWrite: 5 },
  'openai/gpt-5.6-terra': { input: 2, output: 12, cached: 0.2, cacheWrite: 2.5 },
  'openai/gpt-5.6-luna': { input: 0.2, output: 1.2, cached: 0.02, cacheWrite: 0.25 },
  'openai/gpt-5.5': { input: 5, output: 30, cached: 0.5 },
  'openai/gpt-5.4': { input: 2.5, output: 15, cached: 0.25 },
  'openai/gpt-5.4-mini': { input: 0.75, output: 4.5, cached: 0.075 },
  'openai/gpt-5.4-nano': { input: 0.2, output: 1.25, cached: 0.02 },
  'openai/gpt-5.3-codex': { input: 1.75, output: 14, cached: 0.175 },
  'openai/gpt-5.2-codex': { input: 1.75, output: 14, cached: 0.175 },
  'openai/gpt-5.2': { input: 1.75, output: 14, cached: 0.175 },
  'openai/gpt-5.1': { input: 1.25, output: 10, cached: 0.125 },
  'openai/gpt-5': { input: 1.25, output: 10, cached: 0.125 },
  'openai/gpt-5-mini': { input: 0.25, output: 2, cached: 0.025 },
  'openai/gpt-5-nano': { input: 0.05, output: 0.4, cached: 0.005 },
  'openai/gpt-4.1': { input: 2, output: 8, cached: 0.5 },
  'openai/gpt-4.1-mini': { input: 0.4, output: 1.6, cached: 0.1 },
  'openai/gpt-4.1-nano': { input: 0.1, output: 0.4, cached: 0.025 },
  'openai/gpt-4o': { input: 2.5, output: 10, cached: 1.25 },
  'openai/gpt-4o-2024-05-13': { input: 5, output: 15 },
  'openai/gpt-4o-mini': { input: 0.15, output: 0.6, cached: 0.075 },
  'openai/o3': { input: 2, output: 8, cached: 0.5 },
  'openai/o4-mini': { input: 1.1, output: 4.4, cached: 0.275 },
  // The price doubles on 1 December 2026.
  'google/gemini-4-argon': { input: 2, output: 10, cached: 0.1 },
  // The prices of these three models double on 1 January 2027.
  'google/gemini-3.8-flash': { input: 0.75, output: 3.75, cached: 0.075 },
  'google/gemini-3.7-flash': { input: 0.75, output: 3.75, cached: 0.075 },
  'google/gemini-3.6-flash': { input: 0.75, output: 3.75, cached: 0.075 },
  'google/gemini-3.5-flash-lite': { input: 0.3, output: 2.5, cached: 0.03 },
  'google/gemini-3.1-pro-preview': { input: 2, output: 12, cached: 0.2 },
  'google/gemini-3.1-flash-lite': { input: 0.25, output: 1.5, cached: 0.025 },
  'google/gemini-3-flash-preview': { input: 0.5, output: 3, cached: 0.05 },
  'google/gemini-2.5-pro': { input: 1.25, output: 10, cached: 0.125 },
  'google/gemini-2.5-flash': { input: 0.3, output: 2.5, cached: 0.03 },
  'google/gemini-2.5-flash-lite': { input: 0.1, output: 0.4, cached: 0.01 },
};

const datedEnding = /-(?:\d{8}|\d{4}-\d{2}-\d{2})$/;

/**
 * Returns the price of `provider/model`, or undefined if the price is unknown. A dated name that is not in
 * the table has the price of the undated name. Prices in `own` take precedence. Pure.
 */
export function priceOf(id: string, own: Readonly<Record<string, Price>> = {}): Price | undefined {
  if (Object.hasOwn(own, id)) return own[id];
  const name = [id, id.replace(datedEnding, '')].find((known) => Object.hasOwn(table, known));
  return name === undefined ? undefined : table[name];
}
