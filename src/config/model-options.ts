import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import type { ModelOptions, ProviderChoice } from '../core/model-source.ts';
import { optional } from '../core/optional.ts';
import { customProvider } from '../models/provider-place.ts';

export { customProvider };

/** What joined settings say about models; nothing that they do not say. Pure. */
export function modelOptionsOf(all: JsonObject): ModelOptions {
  const providers = providersIn(all['providers']);
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

/** The address and the variable of the key may come from different layers; a server without an address is none. */
function providersIn(value: Json | undefined): Readonly<Record<string, ProviderChoice>> | undefined {
  if (!isJsonObject(value)) return undefined;
  const whole = Object.entries(value).filter(([, choice]) => isJsonObject(choice) && 'baseUrl' in choice);
  return whole.length === 0
    ? undefined
    : (Object.fromEntries(whole) as unknown as Record<string, ProviderChoice>);
}

function withProvider(models: Json): Json {
  if (typeof models === 'string') return models.includes('/') ? models : `${customProvider}/${models}`;
  if (Array.isArray(models)) return models.map((name: Json) => withProvider(name));
  if (!isJsonObject(models)) return models;
  return Object.fromEntries(Object.entries(models).map(([tier, choice]) => [tier, withProvider(choice)]));
}
