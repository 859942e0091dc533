import { optional, type ModelOptions, type Price } from '../../core/index.ts';
import { findKeys, type DetectedProvider } from '../../models/detect.ts';
import { knownProviders } from '../../models/providers/known.ts';
import { pricesOf, priceOf } from '../../models/providers/prices.ts';
import { customProvider, placeOf, providerNames } from '../../models/providers/endpoint.ts';
import { mismatched } from '../../models/providers/open-model.ts';
import { describeTiers, type TierUse } from '../../models/tiers.ts';
import { explainSetting, type SettingsLayer } from '../read/layers.ts';
import {
  choiceOf,
  customFault,
  customServer,
  findAll,
  noList,
  providersOn,
  type ModelMachine,
} from './find-models.ts';
import { modelOptionsOf } from './options.ts';
import { readLayers, type SettingsSources } from '../read/settings.ts';

/** What models there are and what is used for what; it never holds a key. */
export interface ModelReport {
  readonly offline: boolean;
  /** What was found on this machine. */
  readonly found: readonly DetectedProvider[];
  /** Known providers that a variable has moved elsewhere. */
  readonly moved: readonly MovedProvider[];
  /** Further servers of the settings. */
  readonly named: readonly NamedProvider[];
  readonly uses: readonly ModelUse[];
  /** Of the models in use, as far as they are known. */
  readonly prices: Readonly<Record<string, Price>>;
  /** The month of the package's own table of prices. */
  readonly pricesOf: string;
  /** What would make the models in use fail, without asking anybody. */
  readonly faults: readonly string[];
  /** The variables that may hold a key. */
  readonly keyVariables: readonly string[];
}

/** A known provider at another address. */
export interface MovedProvider {
  readonly provider: string;
  readonly label: string;
  /** Without a password that it may hold. */
  readonly url: string;
  readonly variable: string;
}

/** A server of the settings. */
export interface NamedProvider {
  readonly provider: string;
  readonly url: string;
  readonly variable?: string;
}

/** What a role or a tier comes to, and who says so. */
export interface ModelUse extends TierUse {
  /** The layer of the settings; absent for what was found. */
  readonly layer?: SettingsLayer['name'];
  /** The file, the variable or the flag. */
  readonly place?: string;
}

/** Everything about models, with a look at the servers of this machine; never throws. */
export async function reportModels(sources: SettingsSources, machine: ModelMachine): Promise<ModelReport> {
  const known = knownFrom(sources);
  if (known.options.offline === true)
    return describe(known, machine, findKeys(providersOn({}, machine).lookUp));
  const report = describe(known, machine, await findAll(known.options, machine));
  return { ...report, faults: [...report.faults, ...silentServer(known.options, machine, report)] };
}

/** The same without asking any server. */
export function reportKeys(sources: SettingsSources, machine: ModelMachine): ModelReport {
  return describe(knownFrom(sources), machine, findKeys(providersOn({}, machine).lookUp));
}

/** A server that was named and lists nothing leaves nobody to ask. */
function silentServer(
  options: ModelOptions,
  machine: ModelMachine,
  { uses }: ModelReport,
): readonly string[] {
  if (uses.some(({ models }) => models.length > 0)) return [];
  const custom = customServer(options, machine);
  const fault = custom === undefined ? customFault(options, machine) : noList(custom);
  if (fault === undefined) return [];
  const { message, hint = '' } = fault;
  return [`${message} ${hint}`];
}

interface Known {
  readonly layers: readonly SettingsLayer[];
  readonly options: ModelOptions;
}

function knownFrom(sources: SettingsSources): Known {
  const { layers } = readLayers(sources);
  return { layers, options: modelOptionsOf(layers) };
}

function describe(
  { layers, options }: Known,
  machine: ModelMachine,
  found: readonly DetectedProvider[],
): ModelReport {
  const { models, tierConfig, offline = false, providers = {} } = options;
  const choice = models ?? choiceOf(foundFirst(found, options));
  const uses = describeTiers(choice, tierConfig, models === undefined ? 'found' : 'set').map((use) =>
    withSource(use, layers),
  );
  const inUse = [...new Set(uses.flatMap((use) => use.models))];
  const named = Object.entries(providers).map(([provider, { baseUrl: url, apiKeyEnv }]) => ({
    provider,
    url,
    ...optional('variable', apiKeyEnv),
  }));
  const prices = inUse.map((id) => [id, priceOf(id, options.prices)] as const);
  return {
    offline,
    found,
    moved: movedProviders(options, machine),
    named,
    uses,
    prices: Object.fromEntries(prices.flatMap(([id, price]) => (price === undefined ? [] : [[id, price]]))),
    pricesOf,
    faults: inUse.flatMap((id) => faultOf(id, options, machine)),
    keyVariables: knownProviders.flatMap(({ keys }) => keys),
  };
}

/** A server that was named goes before everything that merely lies around. */
function foundFirst(
  found: readonly DetectedProvider[],
  { providers = {} }: ModelOptions,
): readonly DetectedProvider[] {
  return customProvider in providers ? found.filter(({ provider }) => provider === customProvider) : found;
}

/** A tier without a choice of its own has that of another, which may be the one for all. */
function withSource(use: TierUse, layers: readonly SettingsLayer[]): ModelUse {
  if (use.models.length === 0 || layers.every(({ values }) => values['models'] === undefined)) return use;
  const { says } = explainSetting(['models', use.instead ?? use.tier], layers);
  const said = says.find(({ wins }) => wins);
  return { ...use, ...optional('layer', said?.layer), ...optional('place', said?.from) };
}

function movedProviders(options: ModelOptions, machine: ModelMachine): readonly MovedProvider[] {
  return knownProviders.flatMap(({ name: provider, label, url: usual, urlVariable: variable }) => {
    const url = placeOf(provider, providersOn(options, machine))?.url ?? usual;
    if (variable === undefined || url === usual || options.providers?.[provider] !== undefined) return [];
    return [{ provider, label, url: withoutPassword(url), variable }];
  });
}

function withoutPassword(address: string): string {
  const url = URL.parse(address);
  return url === null ? 'no URL' : `${url.protocol}//${url.host}${url.pathname}`;
}

/** Why a model could not even be asked. */
function faultOf(id: string, options: ModelOptions, machine: ModelMachine): readonly string[] {
  const places = providersOn(options, machine);
  const provider = id.split('/')[0] ?? id;
  const place = placeOf(provider, places);
  if (place === undefined)
    return [`${id}: There is no provider "${provider}"; there are ${providerNames(places).join(', ')}.`];
  if (place.mismatch !== undefined) {
    const { message, hint = '' } = mismatched(place.label, place.mismatch);
    return [`${id}: ${message} ${hint}`];
  }
  if (!place.needsKey || place.key !== undefined) return [];
  return [`${id}: ${place.keyVariables.join(' or ')} is not set.`];
}
