import type { ErrorData } from '../core/error.ts';
import { knownProviders } from './known-providers.ts';

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
export function cannotOpen(name: string): ErrorData {
  return {
    code: 'model.unavailable',
    message: `The model "${name}" is only a name here, and nothing opens it.`,
    hint: 'Give the option "open", or a model instead of its name.',
  };
}
