import {
  AgentError,
  fromErrorData,
  optional,
  type ModelChoice,
  type ModelOptions,
} from '../../core/index.ts';
import {
  findKeys,
  findServers,
  usualModels,
  usualServers,
  type DetectedProvider,
  type ProviderAddress,
} from '../../models/detect.ts';
import { createVariableLookup } from '../../models/providers/keys.ts';
import {
  customProvider,
  findEndpoint,
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

/** Creates the error for a configured server that lists no models. */
export function noList({ url }: ProviderAddress): AgentError {
  return new AgentError('model.unavailable', `${url} does not list its models.`, {
    hint: 'Set a model with --model or SKILLED_MODEL, or check the address and the key.',
  });
}

/**
 * Finds every model provider on this machine. Contacts only configured servers and local servers. Never
 * throws.
 */
export async function findAll(
  options: ModelOptions,
  machine: ModelMachine,
): Promise<readonly DetectedProvider[]> {
  const [custom, servers] = await Promise.all([askCustom(options, machine), askUsual(machine)]);
  return [...custom, ...findKeys(providersOn({}, machine).lookUp), ...servers];
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
  const custom = customServer(options, machine);
  if (custom !== undefined) {
    const choice = choiceOf(await askCustom(options, machine));
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

async function askCustom(options: ModelOptions, machine: ModelMachine): Promise<readonly DetectedProvider[]> {
  const custom = customServer(options, machine);
  return custom === undefined ? [] : findServers([custom], patience);
}

async function askUsual({
  folder,
  servers = usualServers,
  patienceMs,
}: ModelMachine): Promise<readonly DetectedProvider[]> {
  return folder === undefined ? [] : findServers(servers, patienceMs);
}
