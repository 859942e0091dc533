import { AgentError } from '../core/error.ts';
import type { ModelChoice, ModelOptions } from '../core/model-source.ts';
import { optional } from '../core/optional.ts';
import {
  findKeys,
  findServers,
  usualModels,
  usualServers,
  type Finding,
  type ServerPlace,
} from '../models/detect.ts';
import { createKeyLookup, type KeyLookup } from '../models/keys.ts';
import { customProvider } from '../models/provider-place.ts';

/** The machine on which models are looked for. */
export interface Machine {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where a `.env` file may lie; without it there is none, and no server is looked for. */
  readonly folder?: string | undefined;
  /** Servers at which it is worth asking; those at their usual ports unless given. */
  readonly servers?: readonly ServerPlace[];
}

/** The keys of a machine, in its environment and its `.env` file. */
export function keysOf({ environment, folder }: Machine): KeyLookup {
  return createKeyLookup(environment, folder);
}

/** The server that a flag or a variable names, with its key; absent unless one does. */
export function customServer({ providers }: ModelOptions, machine: Machine): ServerPlace | undefined {
  const { baseUrl, apiKeyEnv } = providers?.[customProvider] ?? {};
  if (baseUrl === undefined) return undefined;
  const key = apiKeyEnv === undefined ? undefined : keysOf(machine)(apiKeyEnv);
  const url = baseUrl.replace(/\/+$/, '');
  return { provider: customProvider, label: customProvider, url, ...optional('key', key) };
}

/** Why the named server gives no model to choose. */
export function noList({ url }: ServerPlace): AgentError {
  return new AgentError('model.unavailable', `${url} does not say which models it has.`, {
    hint: 'Name one with --model or SKILLED_MODEL, or check the address and the key.',
  });
}

/** Everything on a machine that models may come from. Never throws, and looks at the network of this machine only. */
export async function findAll(options: ModelOptions, machine: Machine): Promise<readonly Finding[]> {
  const [custom, servers] = await Promise.all([askCustom(options, machine), askUsual(machine)]);
  return [...custom, ...findKeys(keysOf(machine)), ...servers];
}

/** The models to use when none is chosen: of the named server, else by the first key, else of the first server that answers. */
export async function findModels(options: ModelOptions, machine: Machine): Promise<ModelChoice | undefined> {
  const custom = customServer(options, machine);
  if (custom !== undefined) {
    const choice = choiceOf(await askCustom(options, machine));
    if (choice !== undefined) return choice;
    throw noList(custom);
  }
  return choiceOf(findKeys(keysOf(machine))) ?? choiceOf(await askUsual(machine));
}

/** What the first of these that has models stands for. Pure. */
export function choiceOf(findings: readonly Finding[]): ModelChoice | undefined {
  const usual = findings.map(usualModels).find((models) => models !== undefined);
  return usual === undefined ? undefined : { ...usual };
}

const patience = 5_000; // milliseconds; a server that was named may be far away

async function askCustom(options: ModelOptions, machine: Machine): Promise<readonly Finding[]> {
  const custom = customServer(options, machine);
  return custom === undefined ? [] : findServers([custom], patience);
}

async function askUsual({ folder, servers = usualServers }: Machine): Promise<readonly Finding[]> {
  return folder === undefined ? [] : findServers(servers);
}
