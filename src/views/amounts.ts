import type { Usage } from '../core/model.ts';

/** A length of time as people say it: `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`. */
export function durationText(milliseconds: number): string {
  const tenths = Math.max(0, Math.round(milliseconds / 100));
  if (tenths < 100) return `${(tenths / 10).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return withRest(`${minutes} min`, seconds % 60, 's');
  return withRest(`${Math.floor(minutes / 60)} h`, minutes % 60, 'min');
}

function withRest(text: string, rest: number, unit: string): string {
  return rest === 0 ? text : `${text} ${rest} ${unit}`;
}

/** All tokens of a bill, in and out: `2,310 tok`. */
export function tokensText({ inputTokens, outputTokens }: Usage): string {
  return `${(inputTokens + outputTokens).toLocaleString('en-US')} tok`;
}

/** US dollars to the cent; a smaller amount than one is said to be that. */
export function moneyText(dollars: number): string {
  return dollars > 0 && dollars < 0.005 ? '<$0.01' : `$${dollars.toFixed(2)}`;
}
