import type { Model } from '../core/model.ts';
import type { ModelOptions } from '../core/model-source.ts';
import { optional } from '../core/optional.ts';
import { openModel } from '../models/providers.ts';
import { dropEmptyAddresses } from './drop-empty-addresses.ts';
import { keysOf, type Machine } from './find-models.ts';

/** Opens models by their names `provider/model`, with the keys and servers that there are. */
export function createModelOpener(
  { providers, prices }: ModelOptions,
  machine: Machine,
): (name: string) => Model {
  const { environment } = machine;
  const sources = { environment, keyOf: keysOf(machine) };
  const chosen = { ...optional('providers', providers), ...optional('prices', prices) };
  return (name) => {
    dropEmptyAddresses();
    return openModel(name, { ...sources, ...chosen });
  };
}
