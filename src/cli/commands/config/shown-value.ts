import { isStoreAddress, storeName } from '../../../config/store-place.ts';
import type { Json } from '../../../core/json.ts';

/** A value as it may be printed: the address of a store comes from the environment and may hold a password. */
export function shownValue(key: string, value: Json): Json {
  if (key !== 'store' || typeof value !== 'string' || !/^postgres/.test(value)) return value;
  return storeName({ where: value, isAddress: isStoreAddress(value) });
}

/** A value as text: text as it is, anything else as JSON. */
export function valueText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
