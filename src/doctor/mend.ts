import { reasonOf } from '../core/error.ts';
import type { Mended, Repair } from './repair.ts';

/** Does what can be done, one after the other; a repair that fails keeps no other from being done. */
export function mend(repair: Repair): Mended {
  const { id, what, done } = repair;
  try {
    repair.mend();
    return { id, what, status: 'fixed', result: done };
  } catch (thrown) {
    return { id, what, status: 'failed', result: reasonOf(thrown) };
  }
}
