import {
  isJsonObject,
  optional,
  type Json,
  type ModelOptions,
  type ProviderChoice,
} from '../../core/index.ts';
import { customProvider } from '../../models/providers/endpoint.ts';
import { isOfProject, joinLayers, type SettingsLayer } from '../read/layers.ts';

export { customProvider };

/** What layers, given lowest first, say about models; nothing that they do not say. Pure. */
export function modelOptionsOf(layers: readonly SettingsLayer[]): ModelOptions {
  const all = joinLayers(layers);
  const providers = providersIn(layers);
  const hasCustom = providers !== undefined && Object.hasOwn(providers, customProvider);
  const { models, tierConfig, prices, modelRetries, modelIdleSeconds, offline } = all;
  const said = {
    ...optional('models', hasCustom && models !== undefined ? withProvider(models) : models),
    ...optional('tierConfig', tierConfig),
    ...optional('providers', providers),
    ...optional('prices', prices),
    ...optional('retries', modelRetries),
    ...optional('idleSeconds', modelIdleSeconds),
    ...optional('offline', offline),
  };
  return said as unknown as ModelOptions; // every layer has the right shape
}

type Providers = Readonly<Record<string, ProviderChoice>>;

/**
 * The servers of your own files, variables and flags, and below them those of a project: entries of the two are not
 * mixed, so that no key of yours is sent to an address of the project. An entry without an address is no server.
 */
function providersIn(layers: readonly SettingsLayer[]): Providers | undefined {
  const theirs = entriesIn(layers.filter(isOfProject));
  const yours = entriesIn(layers.filter((layer) => !isOfProject(layer)));
  const names = [...new Set([...theirs.keys(), ...yours.keys()])];
  const choices = names.flatMap((name): [string, ProviderChoice][] => {
    const [their, your] = [theirs.get(name), yours.get(name)];
    if (isServer(your)) return [[name, your]];
    if (!isServer(their)) return [];
    const keyFrom = your?.apiKeyEnv === undefined ? 'project' : 'user';
    return [[name, { ...their, ...your, addressFrom: 'project', keyFrom }]];
  });
  return choices.length === 0 ? undefined : Object.fromEntries(choices);
}

function isServer(choice: Partial<ProviderChoice> | undefined): choice is ProviderChoice {
  return choice?.baseUrl !== undefined;
}

function entriesIn(layers: readonly SettingsLayer[]): ReadonlyMap<string, Partial<ProviderChoice>> {
  const value = joinLayers(layers)['providers'];
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  return new Map(
    entries.flatMap(([name, entry]): [string, Partial<ProviderChoice>][] => {
      if (!isJsonObject(entry)) return [];
      const { addressFrom: _address, keyFrom: _key, ...choice } = entry; // decided here, never by a file
      return [[name, choice]]; // every layer has the right shape
    }),
  );
}

function withProvider(models: Json): Json {
  if (typeof models === 'string') return models.includes('/') ? models : `${customProvider}/${models}`;
  if (Array.isArray(models)) return models.map((name: Json) => withProvider(name));
  if (!isJsonObject(models)) return models;
  return Object.fromEntries(Object.entries(models).map(([tier, choice]) => [tier, withProvider(choice)]));
}

/** One model, or several with commas between them: the later ones are asked when those before fail. Pure. */
export function modelNamesOf(text: string): string | readonly string[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return names.length > 1 ? names : (names[0] ?? '');
}
