import { isJsonObject, type Json } from '../core/json.ts';
import { variable } from '../skills/environment.ts';
import type { Ports, Settings } from './options.ts';

/** The values of the variables that settings give to skills by `{"env": "NAME"}`: whatever they are called, they are secrets. */
export function namedSecrets(settings: Settings, environment: Ports['environment']): readonly string[] {
  const names = Object.values(settings.skills?.entries ?? {}).flatMap(({ env = {}, apiKey }) =>
    [...Object.values(env), apiKey].map((value) => nameIn(value as Json | undefined)),
  );
  return names
    .map((name) => (name === undefined ? undefined : variable(environment, name)))
    .filter((value) => value !== undefined);
}

function nameIn(value: Json | undefined): string | undefined {
  const name = isJsonObject(value) ? value['env'] : undefined;
  return typeof name === 'string' ? name : undefined;
}
