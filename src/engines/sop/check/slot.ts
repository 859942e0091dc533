import { asText, type Json } from '../../../core/json.ts';
import { accepts, kindOf, type Accepted } from './accepted.ts';
import { retypeValue } from './retype-value.ts';
import type { Source } from './source.ts';

/** What fills one place of a command: one value, several as one text, or the items of a list. */
export interface Slot {
  /** Of the place; absent when it is the whole input. */
  readonly name?: string;
  readonly as: 'value' | 'text' | 'list';
  readonly sources: readonly Source[];
  readonly accepted: Accepted;
}

/** The input that slots make: an object of those with a name, or the one without. Pure. */
export function fillSlots(slots: readonly Slot[], read: (source: Source) => Json): Json {
  const [whole] = slots;
  if (whole !== undefined && whole.name === undefined) return fillSlot(whole, read);
  return Object.fromEntries(slots.map((slot) => [slot.name ?? '', fillSlot(slot, read)]));
}

/** The value that fills a slot. Pure. */
export function fillSlot({ as, sources, accepted }: Slot, read: (source: Source) => Json): Json {
  const values = sources.map(read);
  const [only = ''] = values;
  if (as === 'text') return asOne(accepted, values);
  if (as === 'value') return retypeValue(accepted, only);
  const [source] = sources;
  if (source !== undefined && sources.length === 1) {
    const list = retypeValue({ kinds: new Set(['array']) }, only);
    if (source.kind !== 'text' || Array.isArray(list)) return list;
  }
  return values.map((value) => retypeValue(accepted.items ?? {}, value));
}

/** Several values as one text, with a blank in between; what is no text is written as JSON. */
export function joinValues(values: readonly Json[]): string {
  return values.map((value) => asText(value)).join(' ');
}

/** All values as one: none as nothing, one as it is unless only text is accepted, several as one text. */
function asOne(accepted: Accepted, values: readonly Json[]): Json {
  const [only, ...more] = values;
  if (only === undefined) return accepts(accepted, 'string') || !accepts(accepted, 'object') ? '' : {};
  if (more.length > 0) return retypeValue(accepted, joinValues(values));
  const value = retypeValue(accepted, only);
  return accepts(accepted, kindOf(value)) || !accepts(accepted, 'string') ? value : joinValues([value]);
}
