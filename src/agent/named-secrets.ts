import { isJsonObject, type Json } from '../core/json.ts';
import type { ProviderChoice } from '../core/model/sources.ts';
import { variable } from '../skills/environment.ts';
import type { AgentOptions, Ports, Settings } from './options.ts';
import { serverSecrets } from './server-secrets.ts';

/** The values of the variables that settings give to skills and servers by name: whatever they are called, they are secrets. */
export function namedSecrets(
  settings: Settings,
  { providers, mcpServers = [] }: Pick<AgentOptions, 'providers' | 'mcpServers'>,
  environment: Ports['environment'],
): readonly string[] {
  const forSkills = Object.values(settings.skills?.entries ?? {}).flatMap(({ env = {}, apiKey }) =>
    [...Object.values(env), apiKey].map((value) => nameIn(value as Json | undefined)),
  );
  const names = [...forSkills, ...keysOf(settings.modelOptions?.providers), ...keysOf(providers)];
  const values = names.map((name) => (name === undefined ? undefined : variable(environment, name)));
  return [
    ...values.filter((value) => value !== undefined),
    ...serverSecrets([...mcpServers, ...(settings.servers ?? [])], environment),
  ];
}

function keysOf(providers: Readonly<Record<string, ProviderChoice>> = {}): readonly (string | undefined)[] {
  return Object.values(providers).map(({ apiKeyEnv }) => apiKeyEnv);
}

function nameIn(value: Json | undefined): string | undefined {
  const name = isJsonObject(value) ? value['env'] : undefined;
  return typeof name === 'string' ? name : undefined;
}
