import type { Model } from '../core/model.ts';
import type { ModelOptions } from '../core/model/sources.ts';
import { optional } from '../core/collections.ts';
import { openModel } from '../models/providers.ts';
import { dropEmptyAddresses } from './drop-empty-addresses.ts';
import { providersOn, type Machine } from './find-models.ts';

/** Opens models by their names `provider/model`, with the keys and servers that there are. */
export function createModelOpener(options: ModelOptions, machine: Machine): (name: string) => Model {
  const sources = { ...providersOn(options, machine), ...optional('prices', options.prices) };
  return (name) => {
    dropEmptyAddresses();
    return openModel(name, sources);
  };
}
