import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyPlace } from './ai-sdk/asked.ts';
import { parseEnvFile } from './env-file.ts';
import { knownProviders } from './known-providers.ts';

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Looks a key up by its variable; a function, so that no key is printed with what holds it. */
export type KeyLookup = (variable: string) => FoundKey | undefined;

/** A key and where it stands. */
export interface FoundKey extends KeyPlace {
  /** Never to be shown. */
  readonly value: string;
}

const most = 1_000_000; // bytes of a file that anybody wrote by hand

/** Looks in the environment, then in the file `.env` of a folder, which is read once, when the environment has no answer; of the file only the keys of known providers count. */
export function createKeyLookup(environment: Environment, folder?: string): KeyLookup {
  const known = new Set(knownProviders.flatMap(({ keys }) => keys));
  let inFile: ReadonlyMap<string, string> | undefined;
  return (variable) => {
    const value = environment[variable]?.trim() ?? '';
    if (value !== '') return found(variable, 'environment', value);
    if (folder === undefined || !known.has(variable)) return undefined;
    inFile ??= readEnvFile(folder);
    const kept = inFile.get(variable)?.trim() ?? '';
    return kept === '' ? undefined : found(variable, '.env', kept);
  };
}

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
