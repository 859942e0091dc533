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

/** A model that is known only when it is first asked; its answers name the one that gave them. */
export function deferModel(id: string, find: () => Promise<Model>): Model {
  return {
    id,
    findFault: () =>
      find().then(
        ({ fault }) => fault,
        (thrown: unknown) => toErrorData(thrown),
      ),
    async *stream(request, signal) {
      const finding = find().catch((thrown: unknown) => toErrorData(thrown));
      if (!(await settlesBefore(signal, finding))) {
        yield abortedEnd(noUsage); // the search goes on for those that still wait for it
        return;
      }
      const found = await finding;
      if ('code' in found) yield failedEnd(found, noUsage);
      else {
        for await (const event of found.stream(request, signal)) {
          yield event.type === 'end' ? { ...event, model: event.model ?? found.id } : event;
        }
      }
    },
  };
}

/** What is said when models are switched off. */
export const switchedOff: ErrorData = {
  code: 'model.unavailable',
  message: 'No model may be asked: this is offline.',
  hint: 'Leave out "offline" to ask models.',
  details: { offline: true },
};

const keys = knownProviders.flatMap((provider) => provider.keys);

/** What is said when there is no model at all. */
export const noneConfigured: ErrorData = {
  code: 'model.unavailable',
  message: 'No model is configured.',
  hint: `Set ${keys.slice(0, -1).join(', ')} or ${keys.at(-1) ?? ''}, or name a model under "models"; \`skilled models\` shows what there is.`,
  details: { configured: false },
};

/** What is said of a model that is only named where nothing opens names. */
function cannotOpen(name: string): ErrorData {
  return {
    code: 'model.unavailable',
    message: `The model "${name}" is only a name here, and nothing opens it.`,
    hint: 'Give the option "open", or a model instead of its name.',
  };
}
