import { parseJson, type Json, type JsonObject } from '../../core/json.ts';
import type { Scope } from '../../core/scope.ts';
import { wantedVerdict, type WantedVerdict } from '../../core/json/validate.ts';

/** Whether a value is what is wanted, and what is wrong with it. */
export function fitValue(value: Json, schema: JsonObject, key: string, scope: Scope): Promise<WantedVerdict> {
  return wantedVerdict(scope, key, 'the answer', schema, value);
}

/** The same for a text, which may be the value itself or its JSON. */
export async function fitText(
  text: string,
  schema: JsonObject,
  key: string,
  scope: Scope,
): Promise<WantedVerdict> {
  const verdict = await fitValue(text, schema, key, scope);
  const parsed = verdict.fault === undefined ? undefined : parseJson(text);
  if (parsed === undefined) return verdict;
  const other = await fitValue(parsed, schema, `${key}:json`, scope);
  return other.fault === undefined ? other : verdict;
}
