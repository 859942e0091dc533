import { optional, type ProviderChoice } from '../../core/index.ts';
import { accountOf, variableSources, type FoundKey, type VariableLookup } from './keys.ts';
import { knownProviders, type KnownProvider } from './known.ts';

/** The address, key and protocol of a provider. */
export interface ProviderEndpoint {
  /** The provider's name, which precedes the slash in a model name. */
  readonly name: string;
  readonly label: string;
  readonly protocol: KnownProvider['protocol'];
  readonly url: string;
  readonly key: FoundKey | undefined;
  /** The environment variables for the key, in order of preference. */
  readonly keyVariables: readonly string[];
  /** Whether the provider rejects requests without a key. */
  readonly needsKey: boolean;
  /** The environment variable that overrides the address. */
  readonly urlVariable?: string;
  /** Set if the key and the address come from different sources. Requests then fail without being sent. */
  readonly mismatch?: KeyMismatch;
}

/** The origins of a key and of an address that come from different sources. */
export interface KeyMismatch {
  readonly key: KeyOrigin;
  readonly address: KeyOrigin;
}

/** The origin of a key or an address. */
export interface KeyOrigin {
  /** The name of the variable, or of the provider's entry in the settings. */
  readonly name: string;
  readonly from: Source;
}

type Source = FoundKey['from'] | 'your settings' | 'the settings of the project';

/** The name of the provider that `--base-url` or `SKILLED_BASE_URL` sets. */
export const customProvider = 'custom';

/** The configured providers and the function that looks up variables. */
export interface ProviderSources {
  /** Configured servers, keyed by provider name. They take precedence over known providers. */
  readonly providers?: Readonly<Record<string, ProviderChoice>>;
  readonly lookUp: VariableLookup;
}

/** Returns all valid provider names. */
export function providerNames({ providers = {} }: ProviderSources): readonly string[] {
  return [...Object.keys(providers), ...knownProviders.map(({ name }) => name)];
}

/** Returns a provider's endpoint, or undefined if the name is unknown. */
export function findEndpoint(name: string, sources: ProviderSources): ProviderEndpoint | undefined {
  const { providers = {} } = sources;
  const own = Object.hasOwn(providers, name) ? providers[name] : undefined;
  if (own !== undefined) return configuredEndpoint(name, own, sources.lookUp);
  const known = knownProviders.find((provider) => provider.name === name);
  return known === undefined ? undefined : knownEndpoint(known, sources.lookUp);
}

/**
 * Returns the endpoint of a configured server. If the user's settings define the server, its key comes only
 * from the environment; if the project's settings define it, its key comes only from the project's `.env`.
 */
function configuredEndpoint(name: string, choice: ProviderChoice, lookUp: VariableLookup): ProviderEndpoint {
  const { baseUrl, apiKeyEnv, addressFrom = 'user', keyFrom = addressFrom } = choice;
  const [same, other] = addressFrom === 'user' ? variableSources : variableSources.toReversed();
  const isOne = keyFrom === addressFrom;
  const find = (from: FoundKey['from'] = 'environment'): FoundKey | undefined =>
    apiKeyEnv === undefined ? undefined : lookUp(apiKeyEnv, from);
  const key = isOne ? find(same) : undefined;
  const stray = key === undefined && (!isOne || find(other) !== undefined);
  return {
    name,
    label: name,
    protocol: 'compatible',
    url: baseUrl.replace(/\/+$/, ''),
    key,
    keyVariables: apiKeyEnv === undefined ? [] : [apiKeyEnv],
    needsKey: apiKeyEnv !== undefined,
    ...optional(
      'mismatch',
      stray && apiKeyEnv !== undefined && other !== undefined
        ? {
            key: { name: apiKeyEnv, from: other },
            address: { name: `providers.${name}.baseUrl`, from: settingsOf[addressFrom] },
          }
        : undefined,
    ),
  };
}

const settingsOf = { user: 'your settings', project: 'the settings of the project' } as const;

function knownEndpoint(known: KnownProvider, lookUp: VariableLookup): ProviderEndpoint {
  const { name, label, keys, url, urlVariable } = known;
  const { key, address, stray } = accountOf(known, lookUp);
  const other = address?.value ?? '';
  return {
    name,
    label,
    protocol: protocolAt(known, other),
    url: other === '' ? url : addressOf(known, other),
    key,
    keyVariables: keys,
    needsKey: keys.length > 0 && other === '',
    ...optional('urlVariable', urlVariable),
    ...optional('mismatch', key && stray && { key: originOf(key), address: originOf(stray) }),
  };
}

function originOf({ variable: name, from }: FoundKey): KeyOrigin {
  return { name, from };
}

// Every OpenAI-compatible server supports OpenAI's older protocol, and many support no other.
function protocolAt({ protocol, url }: KnownProvider, other: string): KnownProvider['protocol'] {
  const isElsewhere = other !== '' && URL.canParse(other) && new URL(other).host !== new URL(url).host;
  return protocol === 'openai' && isElsewhere ? 'compatible' : protocol;
}

// Appends the API version to the address, because ANTHROPIC_BASE_URL usually omits it.
function addressOf({ protocol }: KnownProvider, other: string): string {
  const address = other.replace(/\/+$/, '');
  return protocol === 'anthropic' && !/\/v\d+$/.test(address) ? `${address}/v1` : address;
}
