import type { TableClock } from '../table.ts';

/** A fixed clock, for results that do not depend on the time or time zone. */
export const anyTime: TableClock = { now: 0, zone: 'UTC' };
