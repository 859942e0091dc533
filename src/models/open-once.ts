import {
  noUsage,
  settlesBefore,
  toErrorData,
  type ErrorData,
  type Model,
  type ModelOptions,
  type NamedModel,
} from '../core/index.ts';
import { abortedEnd, createFailingModel, failedEnd } from './model-end.ts';
import { knownProviders } from './providers/known.ts';
import { nativeOrText, withTextTools } from './text-tools/model.ts';

/**
 * Returns a function that opens each model once, with the tool protocol that is configured for its provider.
 * If a model cannot be opened, its first request ends with the error.
 */
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

/** Creates a model that is chosen on its first request. Each response names the chosen model. */
export function deferModel(id: string, find: () => Promise<Model>): Model {
  return {
    id,
    findFault: () =>
      find().then(
        ({ fault }) => fault,
        (thrown: unknown) => toErrorData(thrown),
      ),
    async *stream(request, signal) {
      const search = find().catch((thrown: unknown) => toErrorData(thrown));
      if (!(await settlesBefore(signal, search))) {
        // Do not cancel the search, because other requests may be waiting for it.
        yield abortedEnd(noUsage);
        return;
      }
      const found = await search;
      if ('code' in found) yield failedEnd(found, noUsage);
      else {
        for await (const event of found.stream(request, signal)) {
          yield event.type === 'end' ? { ...event, model: event.model ?? found.id } : event;
        }
      }
    },
  };
}

/** The error for every request while models are disabled. */
export const switchedOff: ErrorData = {
  code: 'model.unavailable',
  message: 'Models are disabled in offline mode.',
  hint: 'Leave out "offline" to use models.',
  details: { offline: true },
};

const keys = knownProviders.flatMap((provider) => provider.keys);

/** The error for every request if no model is configured. */
export const noneConfigured: ErrorData = {
  code: 'model.unavailable',
  message: 'No model is configured.',
  hint: `Set ${keys.slice(0, -1).join(', ')} or ${keys.at(-1) ?? ''}, or set a model under "models"; run \`skilled models\` to see what is available.`,
  details: { configured: false },
};

/** Creates the error for a model that was given by name although no `open` function is set. */
function cannotOpen(name: string): ErrorData {
  return {
    code: 'model.unavailable',
    message: `The model "${name}" cannot be opened by name because the option "open" is not set.`,
    hint: 'Set the option "open", or pass a model object instead of a name.',
  };
}
