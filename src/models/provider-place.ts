import type { ProviderChoice } from '../core/model-source.ts';
import { optional } from '../core/optional.ts';
import type { Environment, FoundKey, KeyLookup } from './keys.ts';
import { knownProviders, type KnownProvider } from './known-providers.ts';

/** Where a provider is and how it is spoken to. */
export interface ProviderPlace {
  /** What stands before the slash. */
  readonly name: string;
  readonly label: string;
  readonly protocol: KnownProvider['protocol'];
  readonly url: string;
  readonly key: FoundKey | undefined;
  /** Variables that may hold a key; the first is the usual one. */
  readonly keyVariables: readonly string[];
  /** Whether it is no use to ask without a key. */
  readonly needsKey: boolean;
  /** The variable that may name another address. */
  readonly urlVariable?: string;
}

/** The provider that a model without one belongs to: the server of `--base-url` and `SKILLED_BASE_URL`. */
export const customProvider = 'custom';

/** What is known about providers. */
export interface ProviderSources {
  /** Servers by their own names; they go before the known ones. */
  readonly providers?: Readonly<Record<string, ProviderChoice>>;
  /** That of the process: the addresses of known providers come only from here. */
  readonly environment: Environment;
  readonly keyOf: KeyLookup;
}

/** The names before the slash that lead somewhere. */
export function providerNames({ providers = {} }: ProviderSources): readonly string[] {
  return [...Object.keys(providers), ...knownProviders.map(({ name }) => name)];
}

/** The place of a provider by its name, unless nobody knows it. */
export function placeOf(name: string, sources: ProviderSources): ProviderPlace | undefined {
  const { providers = {} } = sources;
  const own = Object.hasOwn(providers, name) ? providers[name] : undefined;
  if (own !== undefined) return ownPlace(name, own, sources.keyOf);
  const known = knownProviders.find((provider) => provider.name === name);
  return known === undefined ? undefined : knownPlace(known, sources);
}

function ownPlace(name: string, { baseUrl, apiKeyEnv }: ProviderChoice, keyOf: KeyLookup): ProviderPlace {
  return {
    name,
    label: name,
    protocol: 'compatible',
    url: baseUrl.replace(/\/+$/, ''),
    key: apiKeyEnv === undefined ? undefined : keyOf(apiKeyEnv),
    keyVariables: apiKeyEnv === undefined ? [] : [apiKeyEnv],
    needsKey: apiKeyEnv !== undefined,
  };
}

function knownPlace(known: KnownProvider, { environment, keyOf }: ProviderSources): ProviderPlace {
  const { name, label, keys, url, urlVariable } = known;
  const other = urlVariable === undefined ? '' : (environment[urlVariable]?.trim() ?? '');
  return {
    name,
    label,
    protocol: protocolAt(known, other),
    url: other === '' ? url : addressOf(known, other),
    key: keys.map(keyOf).find((found) => found !== undefined),
    keyVariables: keys,
    needsKey: keys.length > 0 && other === '',
    ...optional('urlVariable', urlVariable),
  };
}

// Whoever stands in for OpenAI often speaks only its older protocol, and all of them speak that.
function protocolAt({ protocol, url }: KnownProvider, other: string): KnownProvider['protocol'] {
  const isElsewhere = other !== '' && URL.canParse(other) && new URL(other).host !== new URL(url).host;
  return protocol === 'openai' && isElsewhere ? 'compatible' : protocol;
}

// The variable of Anthropic is usually written without the version.
function addressOf({ protocol }: KnownProvider, other: string): string {
  const address = other.replace(/\/+$/, '');
  return protocol === 'anthropic' && !/\/v\d+$/.test(address) ? `${address}/v1` : address;
}
