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
  placeOf,
  type ProviderPlace,
  type ProviderSources,
} from '../../models/providers/endpoint.ts';
import { mismatched } from '../../models/providers/open-model.ts';
import { settingsSources } from '../read/settings.ts';
import { trustedVariables } from '../trust.ts';

/** This machine, with the folder of a `.env` file; without a folder only the environment counts. */
export function machineFor(folder: string | undefined): ModelMachine {
  return { environment: process.env, folder };
}

/** The machine on which models are looked for. */
export interface ModelMachine {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A folder of the project whose `.env` counts while it is trusted; without one only the environment counts, and no server is looked for. */
  readonly folder?: string | undefined;
  /** Servers at which it is worth asking; those at their usual ports unless given. */
  readonly servers?: readonly ProviderAddress[];
  /** Milliseconds that each of them may take; a moment unless given. */
  readonly patienceMs?: number;
}

/** Everything that decides where a provider of a machine is and which key it gets. */
export function providersOn(
  { providers }: ModelOptions,
  { environment, folder }: ModelMachine,
): ProviderSources {
  const ofProject = (): ReadonlyMap<string, string> =>
    folder === undefined ? new Map() : trustedVariables(settingsSources(folder, { environment }));
  return { lookUp: createVariableLookup(environment, ofProject), ...optional('providers', providers) };
}

/** The server that a flag or a variable names, with its key; absent unless one does, and where its key is not to be sent there. */
export function customServer(options: ModelOptions, machine: ModelMachine): ProviderAddress | undefined {
  const { name: provider, label, url, key, mismatch } = customPlace(options, machine) ?? {};
  if (provider === undefined || label === undefined || url === undefined || mismatch !== undefined)
    return undefined;
  return { provider, label, url, ...optional('key', key) };
}

/** Why the named server must not be asked with the key that was named for it. */
export function customFault(options: ModelOptions, machine: ModelMachine): AgentError | undefined {
  const { label = '', mismatch } = customPlace(options, machine) ?? {};
  return mismatch === undefined ? undefined : fromErrorData(mismatched(label, mismatch));
}

function customPlace(options: ModelOptions, machine: ModelMachine): ProviderPlace | undefined {
  const isNamed = options.providers?.[customProvider] !== undefined;
  return isNamed ? placeOf(customProvider, providersOn(options, machine)) : undefined;
}

/** Why the named server gives no model to choose. */
export function noList({ url }: ProviderAddress): AgentError {
  return new AgentError('model.unavailable', `${url} does not say which models it has.`, {
    hint: 'Name one with --model or SKILLED_MODEL, or check the address and the key.',
  });
}

/** Everything on a machine that models may come from. Never throws, and looks at the network of this machine only. */
export async function findAll(
  options: ModelOptions,
  machine: ModelMachine,
): Promise<readonly DetectedProvider[]> {
  const [custom, servers] = await Promise.all([askCustom(options, machine), askUsual(machine)]);
  return [...custom, ...findKeys(providersOn({}, machine).lookUp), ...servers];
}

/** The models to use when none is chosen: of the named server, else by the first key, else of the first server that answers. */
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

/** What the first of these that has models stands for. Pure. */
export function choiceOf(findings: readonly DetectedProvider[]): ModelChoice | undefined {
  const usual = findings.map(usualModels).find((models) => models !== undefined);
  return usual === undefined ? undefined : { ...usual };
}

const patience = 5_000; // milliseconds; a server that was named may be far away

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
