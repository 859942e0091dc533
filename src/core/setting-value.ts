import { isJsonObject, type Json } from './json.ts';

/** A secret by the name of the variable that holds it, or plain text where it is none. */
export type SettingValue = string | { readonly env: string };

/** Whether a value can be one. */
export function isSettingValue(value: Json): value is SettingValue {
  if (!isJsonObject(value)) return typeof value === 'string';
  const { env } = value;
  return Object.keys(value).length === 1 && typeof env === 'string' && /^[A-Za-z_]\w*$/.test(env);
}
