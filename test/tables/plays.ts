import { play as bookings } from './bookings.requests.ts';
import { play as equipment } from './equipment.requests.ts';
import { play as orders } from './orders.requests.ts';
import type { Play } from './play.ts';

/** The three tables of examples/tables, each with 100 requests. */
export const plays: readonly Play[] = [orders, bookings, equipment];
