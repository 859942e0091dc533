import type { TableClock } from '../table.ts';

/** A clock for what does not depend on when and where it is asked. */
export const anyTime: TableClock = { now: 0, zone: 'UTC' };
