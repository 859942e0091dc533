import { storeName } from '../../../config/store-place.ts';
import type { Json } from '../../../core/json.ts';

/** A value as it may be printed: the address of a store or a database comes from the environment and may hold a password. */
export function shownValue(key: string, value: Json): Json {
  if (!['store', 'database'].includes(key) || typeof value !== 'string') return value;
  return storeName({ where: value, isAddress: /^postgres(?:ql)?:/.test(value) });
}

/** A value as text: text as it is, anything else as JSON. */
export function valueText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
