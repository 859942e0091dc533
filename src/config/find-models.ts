import { AgentError } from '../core/error.ts';
import type { ModelChoice, ModelOptions } from '../core/model-source.ts';
import {
  findKeys,
  findServers,
  usualModels,
  usualServers,
  type Finding,
  type ServerPlace,
} from '../models/detect.ts';
import { createKeyLookup, type KeyLookup } from '../models/keys.ts';
import { customProvider } from './model-options.ts';

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

/** The server that a flag or a variable names; absent unless one does. */
export function customServer({ providers }: ModelOptions): ServerPlace | undefined {
  const url = providers?.[customProvider]?.baseUrl.replace(/\/+$/, '');
  return url === undefined ? undefined : { provider: customProvider, label: customProvider, url };
}

/** Everything on a machine that models may come from. Never throws, and looks at the network of this machine only. */
export async function findAll(options: ModelOptions, machine: Machine): Promise<readonly Finding[]> {
  const [custom, servers] = await Promise.all([askCustom(options), askUsual(machine)]);
  return [...custom, ...findKeys(keysOf(machine)), ...servers];
}

/** The models to use when none is chosen: of the named server, else by the first key, else of the first server that answers. */
export async function findModels(options: ModelOptions, machine: Machine): Promise<ModelChoice | undefined> {
  const custom = customServer(options);
  if (custom !== undefined) {
    const choice = choiceOf(await askCustom(options));
    if (choice !== undefined) return choice;
    throw new AgentError('model.unavailable', `${custom.url} does not say which models it has.`, {
      hint: 'Name one with --model or SKILLED_MODEL, and check the address.',
    });
  }
  return choiceOf(findKeys(keysOf(machine))) ?? choiceOf(await askUsual(machine));
}

/** What the first of these that has models stands for. Pure. */
export function choiceOf(findings: readonly Finding[]): ModelChoice | undefined {
  const usual = findings.map(usualModels).find((models) => models !== undefined);
  return usual === undefined ? undefined : { ...usual };
}

const patience = 5_000; // milliseconds; a server that was named may be far away

async function askCustom(options: ModelOptions): Promise<readonly Finding[]> {
  const custom = customServer(options);
  return custom === undefined ? [] : findServers([custom], patience);
}

async function askUsual({ folder, servers = usualServers }: Machine): Promise<readonly Finding[]> {
  return folder === undefined ? [] : findServers(servers);
}
