import { knownProviders } from '../models/known-providers.ts';

/** Unsets the addresses of providers that are empty in the environment of this process: their packages cannot even be loaded while one is. */
export function dropEmptyAddresses(environment: NodeJS.ProcessEnv = process.env): void {
  for (const { urlVariable = '' } of knownProviders)
    if (environment[urlVariable]?.trim() === '') Reflect.deleteProperty(environment, urlVariable);
}
