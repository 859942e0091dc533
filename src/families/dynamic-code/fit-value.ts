import { reasonOf } from '../../core/error.ts';
import { fitSchema } from '../../core/fit-schema.ts';
import { parseJson, type Json, type JsonObject } from '../../core/json.ts';
import type { Scope } from '../../core/scope.ts';

/** A type and no interface, so that it is JSON. */
export type Verdict = { readonly value?: Json; readonly fault?: string };

/** Whether a value is what is wanted, and what is wrong with it; the verdict is kept, so that a replay gives the same one. */
export function fitValue(value: Json, schema: JsonObject, key: string, scope: Scope): Promise<Verdict> {
  const { check = (fitting: Json) => fitting } = scope.wanted;
  return scope.step<Verdict>(key, async () => {
    try {
      return { value: await check(fitSchema('the answer', schema, value)) };
    } catch (thrown) {
      return { fault: reasonOf(thrown) };
    }
  });
}

/** The same for a text, which may be the value itself or its JSON. */
export async function fitText(text: string, schema: JsonObject, key: string, scope: Scope): Promise<Verdict> {
  const verdict = await fitValue(text, schema, key, scope);
  const parsed = verdict.fault === undefined ? undefined : parseJson(text);
  if (parsed === undefined) return verdict;
  const other = await fitValue(parsed, schema, `${key}:json`, scope);
  return other.fault === undefined ? other : verdict;
}
