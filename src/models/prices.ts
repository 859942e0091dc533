import type { Price } from '../core/model-source.ts';

/** The month in which the table was true; later prices belong into the settings. */
export const pricesOf = '2026-02';

// US dollars for a million tokens, at the usual tier; what was written to a cache is kept for five minutes.
const table: Readonly<Record<string, Price>> = {
  'anthropic/claude-opus-4-6': { input: 5, output: 25, cached: 0.5, cacheWrite: 6.25 },
  'anthropic/claude-opus-4-5': { input: 5, output: 25, cached: 0.5, cacheWrite: 6.25 },
  'anthropic/claude-opus-4-1': { input: 15, output: 75, cached: 1.5, cacheWrite: 18.75 },
  'anthropic/claude-opus-4-0': { input: 15, output: 75, cached: 1.5, cacheWrite: 18.75 },
  'anthropic/claude-opus-4': { input: 15, output: 75, cached: 1.5, cacheWrite: 18.75 },
  'anthropic/claude-sonnet-4-6': { input: 3, output: 15, cached: 0.3, cacheWrite: 3.75 },
  'anthropic/claude-sonnet-4-5': { input: 3, output: 15, cached: 0.3, cacheWrite: 3.75 },
  'anthropic/claude-sonnet-4-0': { input: 3, output: 15, cached: 0.3, cacheWrite: 3.75 },
  'anthropic/claude-sonnet-4': { input: 3, output: 15, cached: 0.3, cacheWrite: 3.75 },
  'anthropic/claude-haiku-4-5': { input: 1, output: 5, cached: 0.1, cacheWrite: 1.25 },
  'anthropic/claude-3-haiku': { input: 0.25, output: 1.25, cached: 0.03, cacheWrite: 0.3 },
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
  'google/gemini-3-flash-preview': { input: 0.5, output: 3 },
  'google/gemini-2.5-flash': { input: 0.3, output: 2.5 },
  'google/gemini-2.5-flash-lite': { input: 0.1, output: 0.4 },
};

const datedEnding = /-(?:\d{8}|\d{4}-\d{2}-\d{2})$/;

/** The price of `provider/model`, a dated name as the undated one unless it is listed; undefined when it is not known for sure. `own` goes first. Pure. */
export function priceOf(id: string, own: Readonly<Record<string, Price>> = {}): Price | undefined {
  if (Object.hasOwn(own, id)) return own[id];
  const name = [id, id.replace(datedEnding, '')].find((known) => Object.hasOwn(table, known));
  return name === undefined ? undefined : table[name];
}
