import { toErrorData } from '../core/error.ts';
import type { Model } from '../core/model.ts';
import type { ModelOptions, NamedModel } from '../core/model/sources.ts';
import { createFailingModel } from './failing.ts';
import { nativeOrText } from './native-or-text.ts';
import { cannotOpen } from './no-model.ts';
import { withTextTools } from './text-tools.ts';

/** Opens each model once, with the way to call tools that its provider was given; what cannot be opened says why when it is asked. */
export function openOnce(
  open: ((name: string) => Model) | undefined,
  providers: ModelOptions['providers'] = {},
): (named: NamedModel) => Model {
  const opened = new Map<NamedModel, Model>();
  const openName = (name: string): Model => {
    if (open === undefined) return createFailingModel(name, cannotOpen(name));
    try {
      const model = open(name);
      const provider = name.slice(0, name.indexOf('/'));
      const tools = Object.hasOwn(providers, provider) ? providers[provider]?.tools : undefined;
      if (tools === 'native') return model;
      return tools === 'text' ? withTextTools(model) : nativeOrText(model);
    } catch (thrown) {
      return createFailingModel(name, toErrorData(thrown));
    }
  };
  return (named) => {
    const model = opened.get(named) ?? (typeof named === 'string' ? openName(named) : nativeOrText(named));
    opened.set(named, model);
    return model;
  };
}
