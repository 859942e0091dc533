import type { JsonObject } from '../../core/json.ts';

/** Milliseconds that a provider asks to wait, from the headers of its answer; undefined when it does not say. Pure. */
export function retryAfterMs(headers: JsonObject, now: number): number | undefined {
  const exact = positive(headers['retry-after-ms']);
  if (exact !== undefined) return exact;
  const seconds = positive(headers['retry-after']);
  if (seconds !== undefined) return seconds * 1000;
  const said = headers['retry-after'];
  // Without letters it is a number that makes no sense, which the parser would still take for a year.
  const date = typeof said === 'string' && /[a-z]/i.test(said) ? Date.parse(said) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function positive(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}
