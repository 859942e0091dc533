import {
  AgentError,
  fromErrorData,
  optional,
  type ErrorData,
  type ModelChoice,
  type ModelOptions,
} from '../../core/index.ts';
import {
  askServers,
  findKeys,
  findServers,
  usualModels,
  usualServers,
  type DetectedProvider,
  type ProviderAddress,
  type ServerAnswer,
} from '../../models/detect.ts';
import { knownProviders } from '../../models/providers/known.ts';
import { createVariableLookup } from '../../models/providers/keys.ts';
import {
  customProvider,
  findEndpoint,
  providerNames,
  type ProviderEndpoint,
  type ProviderSources,
} from '../../models/providers/endpoint.ts';
import { mismatched } from '../../models/providers/open-model.ts';
import { settingsSources } from '../read/settings.ts';
import { trustedVariables } from '../trust.ts';

/**
 * Returns the environment and the project folder in which to look for models. Without a folder, only the
 * environment is used.
 */
export function machineFor(folder: string | undefined): ModelMachine {
  return { environment: process.env, folder };
}

/** The environment, project folder and servers in which to look for models. */
export interface ModelMachine {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /**
   * The project folder. Its `.env` file is used if the project is trusted. Without a folder, only the
   * environment is used and no server is contacted.
   */
  readonly folder?: string | undefined;
  /** The servers to query. Defaults to the local servers on their standard ports. */
  readonly servers?: readonly ProviderAddress[];
  /** The maximum time to wait for each server, in milliseconds. */
  readonly patienceMs?: number;
}

/** Returns where each provider's address and key come from. */
export function providersOn(
  { providers }: ModelOptions,
  { environment, folder }: ModelMachine,
): ProviderSources {
  const ofProject = (): ReadonlyMap<string, string> =>
    folder === undefined ? new Map() : trustedVariables(settingsSources(folder, { environment }));
  return { lookUp: createVariableLookup(environment, ofProject), ...optional('providers', providers) };
}

/**
 * Returns the server that a flag or variable configures, together with its API key. Returns
 * undefined if no server is configured, or if the key must not be sent to it.
 */
export function customServer(options: ModelOptions, machine: ModelMachine): ProviderAddress | undefined {
  const { name: provider, label, url, key, mismatch } = customEndpoint(options, machine) ?? {};
  if (provider === undefined || label === undefined || url === undefined || mismatch !== undefined)
    return undefined;
  return { provider, label, url, ...optional('key', key) };
}

/** Returns an error if the configured key must not be sent to the configured server, or else undefined. */
export function customFault(options: ModelOptions, machine: ModelMachine): AgentError | undefined {
  const { label = '', mismatch } = customEndpoint(options, machine) ?? {};
  return mismatch === undefined ? undefined : fromErrorData(mismatched(label, mismatch));
}

function customEndpoint(options: ModelOptions, machine: ModelMachine): ProviderEndpoint | undefined {
  const isNamed = options.providers?.[customProvider] !== undefined;
  return isNamed ? findEndpoint(customProvider, providersOn(options, machine)) : undefined;
}

/** Creates the error for a configured server that cannot be reached or lists no models. */
export function noList({ address: { url }, fault }: ServerAnswer): AgentError {
  if (fault !== undefined && isUnreachable(fault))
    return new AgentError('model.unavailable', fault.message, {
      ...optional('hint', fault.hint),
      details: { passing: false },
    });
  return new AgentError('model.unavailable', `${url} does not list its models.`, {
    hint: 'Set a model with --model or SKILLED_MODEL, or check the address and the key.',
  });
}

/** Whether a server could not be reached, in contrast to one that refused the request. */
export function isUnreachable({ code }: ErrorData): boolean {
  return code === 'model.unavailable' || code === 'model.timeout';
}

/**
 * Finds every model provider on this machine. Contacts only configured servers and local servers. Never
 * throws.
 */
export async function findAll(
  options: ModelOptions,
  machine: ModelMachine,
  asked: Promise<ServerAnswer | undefined> = askCustom(options, machine),
): Promise<readonly DetectedProvider[]> {
  const [custom, servers] = await Promise.all([asked, askUsual(machine)]);
  return [...foundIn(custom), ...findKeys(providersOn({}, machine).lookUp), ...servers];
}

/**
 * Finds the models to use if the settings name none. Uses the configured server, or else the first provider
 * that has a key, or else the first local server that responds. Throws if the configured server lists no
 * models.
 */
export async function findModels(
  options: ModelOptions,
  machine: ModelMachine,
): Promise<ModelChoice | undefined> {
  const fault = customFault(options, machine);
  if (fault !== undefined) throw fault;
  const custom = await askCustom(options, machine);
  if (custom !== undefined) {
    const choice = choiceOf(foundIn(custom));
    if (choice !== undefined) return choice;
    throw noList(custom);
  }
  return choiceOf(findKeys(providersOn({}, machine).lookUp)) ?? choiceOf(await askUsual(machine));
}

/** Returns the default models of the first provider that has any. Pure. */
export function choiceOf(providers: readonly DetectedProvider[]): ModelChoice | undefined {
  const usual = providers.map(usualModels).find((models) => models !== undefined);
  return usual === undefined ? undefined : { ...usual };
}

// The timeout in milliseconds for a configured server, which may respond slowly.
const patience = 5_000;

/** Asks the server that a flag or variable configures for its models. Returns undefined if there is none. */
export async function askCustom(
  options: ModelOptions,
  machine: ModelMachine,
): Promise<ServerAnswer | undefined> {
  const custom = customServer(options, machine);
  return custom === undefined ? undefined : (await askServers([custom], patience))[0];
}

function foundIn(answer: ServerAnswer | undefined): readonly DetectedProvider[] {
  if (answer?.models === undefined) return [];
  const { provider, label, url } = answer.address;
  return [{ provider, label, url, from: 'server', models: answer.models }];
}

// The timeout in milliseconds for a gateway, whose models are only listed.
const gatewayPatience = 3_000;

/**
 * Asks the servers whose address is configured, and that speak OpenAI's protocol, for their models, in
 * parallel. Does not ask the server that a flag or variable configures. Never throws.
 */
export function askGateways(options: ModelOptions, machine: ModelMachine): Promise<readonly ServerAnswer[]> {
  const sources = providersOn(options, machine);
  const usual = new Map(knownProviders.map(({ name, url }) => [name, url]));
  const gateways = providerNames(sources).flatMap((name): readonly ProviderAddress[] => {
    const { label, protocol, url = '', key, needsKey, mismatch } = findEndpoint(name, sources) ?? {};
    const address = URL.parse(url);
    const isAsked = (protocol === 'openai' || protocol === 'compatible') && mismatch === undefined;
    const isOwn = name !== customProvider && url !== usual.get(name);
    if (!isAsked || !isOwn || label === undefined || (needsKey === true && key === undefined)) return [];
    if (address === null || address.username !== '' || address.password !== '') return [];
    return [{ provider: name, label, url, ...optional('key', key) }];
  });
  return askServers(gateways, machine.patienceMs ?? gatewayPatience);
}

/** Describes why a gateway did not list its models, or returns undefined if it did. Pure. */
export function gatewayFault({ address: { provider, url }, fault }: ServerAnswer): string | undefined {
  if (fault === undefined) return undefined;
  const isReported = isUnreachable(fault) || fault.code === 'model.denied';
  return isReported
    ? `${provider}: ${fault.message} ${fault.hint ?? ''}`.trim()
    : `${provider}: ${url} does not list its models.`;
}

async function askUsual({
  folder,
  servers = usualServers,
  patienceMs,
}: ModelMachine): Promise<readonly DetectedProvider[]> {
  return folder === undefined ? [] : findServers(servers, patienceMs);
}
