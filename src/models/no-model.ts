import type { ErrorData } from '../core/error.ts';

/** What is said when models are switched off. */
export const switchedOff: ErrorData = {
  code: 'model.unavailable',
  message: 'No model may be asked: this is offline.',
  hint: 'Leave out "offline" to ask models.',
};

/** What is said when there is no model at all. */
export const noneConfigured: ErrorData = {
  code: 'model.unavailable',
  message: 'No model is configured.',
  hint: 'Set ANTHROPIC_API_KEY, OPENAI_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY or OPENROUTER_API_KEY, or start a local server; "skilled models" shows what was found.',
};

/** What is said of a model that is only named where nothing opens names. */
export function cannotOpen(name: string): ErrorData {
  return {
    code: 'model.unavailable',
    message: `The model "${name}" is only a name here, and nothing opens it.`,
    hint: 'Give the option "open", or a model instead of its name.',
  };
}
