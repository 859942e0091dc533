import type { RunQuery } from '../core/store.ts';

const usual = 100;
const most = 2 ** 31 - 1; // what every database takes

/** How many runs a query may give: a whole number that every database takes. */
export function runLimitOf({ limit = usual }: RunQuery): number {
  return Math.floor(Math.min(Math.max(limit, 0), most)) || 0; // 0 for what is no number
}
