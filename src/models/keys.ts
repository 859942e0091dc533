import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyPlace } from './ai-sdk/asked.ts';
import { parseEnvFile } from './env-file.ts';
import { knownProviders, type KnownProvider } from './known-providers.ts';

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Looks a variable up in one source; a function, so that no key is printed with what holds it. */
export type VariableLookup = (variable: string, from: KeyPlace['from']) => FoundKey | undefined;

/** The value of a variable, a key or an address, and which source it is from. */
export interface FoundKey extends KeyPlace {
  /** Never to be shown. */
  readonly value: string;
}

/** The key and the address of a provider, as far as they are set; both from one source. */
export interface Account {
  readonly key?: FoundKey | undefined;
  readonly address?: FoundKey | undefined;
  /** An address from another source than the key: which of the two was meant cannot be decided here. */
  readonly stray?: FoundKey | undefined;
}

const most = 1_000_000; // bytes of a file that anybody wrote by hand

/** The order in which sources are asked: your own environment, then the `.env` of a trusted project. */
export const variableSources: readonly KeyPlace['from'][] = ['environment', '.env'];

/** Looks variables up in the environment and among those of a trusted project, which are read on first use. */
export function createVariableLookup(
  environment: Environment,
  ofProject: () => ReadonlyMap<string, string> = () => new Map(),
): VariableLookup {
  let inFile: ReadonlyMap<string, string> | undefined;
  return (variable, from) => {
    const text = from === 'environment' ? environment[variable] : (inFile ??= ofProject()).get(variable);
    const value = text?.trim() ?? '';
    return value === '' ? undefined : found(variable, from, value);
  };
}

/**
 * The account of a known provider: key and address of the first source that has its key, else of the first that has its
 * address. An address without a key beside it is stray where the key is from elsewhere and has no address of its own.
 */
export function accountOf({ keys, urlVariable }: KnownProvider, lookUp: VariableLookup): Account {
  const accounts = variableSources.map((from): Account => ({
    key: keys.map((variable) => lookUp(variable, from)).find((one) => one !== undefined),
    address: urlVariable === undefined ? undefined : lookUp(urlVariable, from),
  }));
  const used =
    accounts.find(({ key }) => key !== undefined) ?? accounts.find(({ address }) => address !== undefined);
  if (used?.key === undefined || used.address !== undefined) return used ?? {};
  const stray = accounts.find(({ key, address }) => key === undefined && address !== undefined);
  return { ...used, stray: stray?.address };
}

/** The variables that hold keys and addresses of known providers. */
export const modelVariables: readonly string[] = knownProviders.flatMap(({ keys, urlVariable }) =>
  urlVariable === undefined ? keys : [...keys, urlVariable],
);

/** The variables in the file `.env` of a folder; none where there is no file. */
export function readEnvFile(folder: string): ReadonlyMap<string, string> {
  return parseEnvFile(readText(join(folder, '.env')));
}

function found(variable: string, from: KeyPlace['from'], value: string): FoundKey {
  return Object.defineProperty({ variable, from } as FoundKey, 'value', { value, enumerable: false });
}

/** A file that is not there, or not to be read, has no keys; a device or a pipe that a link leads to may never end. */
function readText(path: string): string {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= most ? readFileSync(path, 'utf8') : '';
  } catch {
    return ''; // most folders have none
  }
}
