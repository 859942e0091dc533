import { reasonOf } from './error.ts';
import { fitSchema } from './fit-schema.ts';
import type { Json, JsonObject } from './json.ts';
import type { Scope } from './scope.ts';

/** A value as it is wanted, or what is wrong with it. A type and no interface, so that it is JSON. */
export type WantedVerdict = { readonly value?: Json; readonly fault?: string };

/** Whether a value fits a schema and what else the caller wants; kept under the key, so that a replay gives the same. */
export function wantedVerdict(
  { wanted, step }: Scope,
  key: string,
  what: string,
  schema: JsonObject,
  value: Json,
): Promise<WantedVerdict> {
  const { check = (fitting: Json) => fitting } = wanted;
  return step<WantedVerdict>(key, async () => {
    try {
      return { value: await check(fitSchema(what, schema, value)) };
    } catch (thrown) {
      return { fault: reasonOf(thrown) };
    }
  });
}
