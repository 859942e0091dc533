import { optional, type ModelOptions, type Price } from '../../core/index.ts';
import { findKeys, type DetectedProvider, type ServerAnswer } from '../../models/detect.ts';
import { knownProviders } from '../../models/providers/known.ts';
import { pricesOf, priceOf } from '../../models/providers/prices.ts';
import { customProvider, findEndpoint, providerNames } from '../../models/providers/endpoint.ts';
import { mismatched } from '../../models/providers/open-model.ts';
import { describeTiers, type TierUse } from '../../models/tiers.ts';
import { explainSetting, type SettingsLayer } from '../read/layers.ts';
import {
  askCustom,
  askGateways,
  choiceOf,
  customFault,
  findAll,
  gatewayFault,
  isUnreachable,
  noList,
  providersOn,
  type ModelMachine,
} from './find-models.ts';
import { modelOptionsOf } from './options.ts';
import { readLayers, type SettingsSources } from '../read/settings.ts';

/** The available models and what each is used for. Never contains a key. */
export interface ModelReport {
  readonly offline: boolean;
  /** Providers found on this machine. */
  readonly found: readonly DetectedProvider[];
  /** Known providers whose address is overridden by a variable. */
  readonly moved: readonly MovedProvider[];
  /** Model servers that the settings define. */
  readonly named: readonly NamedProvider[];
  readonly uses: readonly ModelUse[];
  /** Known prices of the models in use. */
  readonly prices: Readonly<Record<string, Price>>;
  /** The month in which the built-in price table was last updated. */
  readonly pricesOf: string;
  /**
   * The reasons why a request to a model in use would fail, as far as they can be determined
   * without sending one.
   */
  readonly faults: readonly string[];
  /** The names of variables that may contain an API key. */
  readonly keyVariables: readonly string[];
}

/** A known provider whose address is not the default. */
export interface MovedProvider {
  readonly provider: string;
  readonly label: string;
  /** The provider's URL, without any password. */
  readonly url: string;
  readonly variable: string;
  /** The models that the server lists. Absent if it was not asked or lists none. */
  readonly models?: readonly string[];
}

/** A model server that the settings define. */
export interface NamedProvider {
  readonly provider: string;
  readonly url: string;
  readonly variable?: string;
  /** The models that the server lists. Absent if it was not asked or lists none. */
  readonly models?: readonly string[];
}

/** The model used for a role or tier, and where the setting comes from. */
export interface ModelUse extends TierUse {
  /** The settings layer. Absent if the model was detected on this machine. */
  readonly layer?: SettingsLayer['name'];
  /** The file, variable or flag that sets the model. */
  readonly place?: string;
}

/**
 * Reports the models, providers and keys, including local servers. With `lists`, also asks gateways for their
 * models. Never throws.
 */
export async function reportModels(
  sources: SettingsSources,
  machine: ModelMachine,
  { lists = false }: { readonly lists?: boolean } = {},
): Promise<ModelReport> {
  const known = knownFrom(sources);
  if (known.options.offline === true)
    return describe(known, machine, findKeys(providersOn({}, machine).lookUp));
  const custom = askCustom(known.options, machine);
  const [answer, found, answers] = await Promise.all([
    custom,
    findAll(known.options, machine, custom),
    lists ? askGateways(known.options, machine) : [],
  ]);
  const report = describe(known, machine, found);
  const models = new Map(answers.map((answer) => [answer.address.provider, answer.models]));
  const listed = <Provider extends { readonly provider: string }>(one: Provider): Provider => ({
    ...one,
    ...optional('models', models.get(one.provider)),
  });
  const faults = [
    ...report.faults,
    ...silentServer(known.options, machine, report, answer),
    ...answers.flatMap((answer) => gatewayFault(answer) ?? []),
  ];
  return { ...report, faults, moved: report.moved.map(listed), named: report.named.map(listed) };
}

/** Reports the models, providers and keys without contacting a server. */
export function reportKeys(sources: SettingsSources, machine: ModelMachine): ModelReport {
  return describe(knownFrom(sources), machine, findKeys(providersOn({}, machine).lookUp));
}

/**
 * Returns an error message if the configured server cannot be reached, or if a run would have no model because
 * it lists none.
 */
function silentServer(
  options: ModelOptions,
  machine: ModelMachine,
  { uses }: ModelReport,
  answer: ServerAnswer | undefined,
): readonly string[] {
  const isNeeded = uses.every(({ models }) => models.length === 0);
  const isDead = answer?.fault !== undefined && isUnreachable(answer.fault);
  if (!isNeeded && !isDead) return [];
  const fault = answer === undefined ? customFault(options, machine) : noList(answer);
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

/** Returns only the configured server, if there is one, or else all detected providers. */
function foundFirst(
  found: readonly DetectedProvider[],
  { providers = {} }: ModelOptions,
): readonly DetectedProvider[] {
  return customProvider in providers ? found.filter(({ provider }) => provider === customProvider) : found;
}

/**
 * Adds the source of a tier's model. A tier without its own model uses the model of another tier or the model
 * for all tiers.
 */
function withSource(use: TierUse, layers: readonly SettingsLayer[]): ModelUse {
  if (use.models.length === 0 || layers.every(({ values }) => values['models'] === undefined)) return use;
  const { says } = explainSetting(['models', use.instead ?? use.tier], layers);
  const said = says.find(({ wins }) => wins);
  return { ...use, ...optional('layer', said?.layer), ...optional('place', said?.from) };
}

function movedProviders(options: ModelOptions, machine: ModelMachine): readonly MovedProvider[] {
  return knownProviders.flatMap(({ name: provider, label, url: usual, urlVariable: variable }) => {
    const url = findEndpoint(provider, providersOn(options, machine))?.url ?? usual;
    if (variable === undefined || url === usual || options.providers?.[provider] !== undefined) return [];
    return [{ provider, label, url: withoutPassword(url), variable }];
  });
}

function withoutPassword(address: string): string {
  const url = URL.parse(address);
  return url === null ? 'not a URL' : `${url.protocol}//${url.host}${url.pathname}`;
}

/** Returns the reasons why a request to a model would fail, without sending one. */
function faultOf(id: string, options: ModelOptions, machine: ModelMachine): readonly string[] {
  const sources = providersOn(options, machine);
  const provider = id.split('/')[0] ?? id;
  const endpoint = findEndpoint(provider, sources);
  if (endpoint === undefined)
    return [`${id}: Unknown provider "${provider}". Available: ${providerNames(sources).join(', ')}.`];
  if (endpoint.mismatch !== undefined) {
    const { message, hint = '' } = mismatched(endpoint.label, endpoint.mismatch);
    return [`${id}: ${message} ${hint}`];
  }
  if (!endpoint.needsKey || endpoint.key !== undefined) return [];
  return [`${id}: ${endpoint.keyVariables.join(' or ')} is not set.`];
}
