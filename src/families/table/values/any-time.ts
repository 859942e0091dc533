import type { Clock } from '../table.ts';

/** A clock for what does not depend on when and where it is asked. */
export const anyTime: Clock = { now: 0, zone: 'UTC' };
