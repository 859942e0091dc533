import { optional, type ProviderChoice } from '../../core/index.ts';
import { accountOf, variableSources, type FoundKey, type VariableLookup } from './keys.ts';
import { knownProviders, type KnownProvider } from './known.ts';

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
  /** Set when key and address are from two sources: nothing is sent then. */
  readonly mismatch?: KeyMismatch;
}

/** A key and an address that do not belong together, each with its source. */
export interface KeyMismatch {
  readonly key: KeyOrigin;
  readonly address: KeyOrigin;
}

/** Where a key or an address is from. */
export interface KeyOrigin {
  /** The variable, or the provider of the settings. */
  readonly name: string;
  readonly from: Source;
}

type Source = FoundKey['from'] | 'your settings' | 'the settings of the project';

/** The provider that a model without one belongs to: the server of `--base-url` and `SKILLED_BASE_URL`. */
export const customProvider = 'custom';

/** What is known about providers. */
export interface ProviderSources {
  /** Servers by their own names; they go before the known ones. */
  readonly providers?: Readonly<Record<string, ProviderChoice>>;
  readonly lookUp: VariableLookup;
}

/** The names before the slash that lead somewhere. */
export function providerNames({ providers = {} }: ProviderSources): readonly string[] {
  return [...Object.keys(providers), ...knownProviders.map(({ name }) => name)];
}

/** The place of a provider by its name, unless nobody knows it. */
export function placeOf(name: string, sources: ProviderSources): ProviderPlace | undefined {
  const { providers = {} } = sources;
  const own = Object.hasOwn(providers, name) ? providers[name] : undefined;
  if (own !== undefined) return ownPlace(name, own, sources.lookUp);
  const known = knownProviders.find((provider) => provider.name === name);
  return known === undefined ? undefined : knownPlace(known, sources.lookUp);
}

/** A server of your own gets keys of your environment; one of a project those of the project's `.env`, and no others. */
function ownPlace(name: string, choice: ProviderChoice, lookUp: VariableLookup): ProviderPlace {
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

function knownPlace(known: KnownProvider, lookUp: VariableLookup): ProviderPlace {
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
