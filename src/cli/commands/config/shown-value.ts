import { withoutSecrets } from '../../../config/write/check-setting.ts';
import { keyPath } from '../../../config/schema/key.ts';
import { storeName } from '../../../config/storage/run-store.ts';
import type { Json } from '../../../core/json.ts';

/**
 * A value as it may be printed: the address of a store or a database comes from the environment and may hold a password,
 * and a server may have been given a secret as it is.
 */
export function shownValue(key: string, value: Json): Json {
  const [first, ...path] = keyPath(key);
  if (first === 'mcpServers') return withoutSecrets(value, path.at(-1) ?? '');
  if (!['store', 'database'].includes(key) || typeof value !== 'string') return value;
  return storeName({ where: value, isAddress: /^postgres(?:ql)?:/.test(value) });
}

/** A value as text: text as it is, anything else as JSON. */
export function valueText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
