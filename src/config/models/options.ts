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

/**
 * Returns the model options from settings layers, ordered from lowest to highest precedence. Omits options
 * that no layer sets. Pure.
 */
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
  return said as unknown as ModelOptions; // Safe, because each layer was validated when it was read.
}

type Providers = Readonly<Record<string, ProviderChoice>>;

/**
 * Merges the user's providers (from files, variables and flags) with the project's providers. If
 * the user sets a provider's address, the project's entry is ignored, so that a project cannot
 * redirect the user's requests. Records whether the address and the key come from the project.
 * Ignores entries without an address.
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
      // `addressFrom` and `keyFrom` are set by this function, never read from a file.
      const { addressFrom: _address, keyFrom: _key, ...choice } = entry;
      return [[name, choice]]; // The type is certain because each layer was validated when it was read.
    }),
  );
}

function withProvider(models: Json): Json {
  if (typeof models === 'string') return models.includes('/') ? models : `${customProvider}/${models}`;
  if (Array.isArray(models)) return models.map((name: Json) => withProvider(name));
  if (!isJsonObject(models)) return models;
  return Object.fromEntries(Object.entries(models).map(([tier, choice]) => [tier, withProvider(choice)]));
}

/**
 * Splits a comma-separated list of model names. Later models are fallbacks for earlier ones.
 * Returns a string if the text names only one model. Pure.
 */
export function modelNamesOf(text: string): string | readonly string[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return names.length > 1 ? names : (names[0] ?? '');
}
