import { freeze } from '../../../core/json.ts';
import type { StepValue } from '../step-value.ts';

/** The value of a step from those of its items: the list of them unless one failed or came to nothing. Pure. */
export function joinItems(variable: string, items: readonly StepValue[]): StepValue {
  for (const [index, item] of items.entries()) {
    if (item.status !== 'fail') continue;
    const error = { ...item.error, message: `item ${index}: ${item.error.message}` };
    return { status: 'fail', error, origin: variable };
  }
  for (const [index, item] of items.entries()) {
    if (item.status === 'undefined')
      return { ...item, reason: `item ${index}: ${item.reason}`, origin: variable };
  }
  const list = items.map((item) => (item.status === 'success' ? item.value : null));
  return { status: 'success', value: freeze(list) };
}
