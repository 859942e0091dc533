import {
  collect,
  optional,
  type ErrorData,
  type Model,
  type ModelOptions,
  type ModelReply,
} from '../../core/index.ts';
import { knownProviders } from '../../models/providers/known.ts';
import { BareLLMAgent, type LLMAgentOptions } from '../../models/llm-agent.ts';
import { openModel } from '../../models/providers/open-model.ts';
import { findModels, machineFor, providersOn, type ModelMachine } from './find-models.ts';

/**
 * Opens the configured models. If the settings name none, looks for models on this machine when a
 * model is first needed.
 */
export function openModels(options: ModelOptions, machine: ModelMachine): BareLLMAgent {
  return new BareLLMAgent(onMachine(options, machine));
}

/** Adds functions that open and find models on this machine, unless the options already contain them. */
function onMachine(options: LLMAgentOptions, machine: ModelMachine): LLMAgentOptions {
  return {
    open: createModelOpener(options, machine),
    find: () => findModels(options, machine),
    ...options,
  };
}

/**
 * Returns a function that opens a model by name (`provider/model`), using the keys and servers from
 * the options and from this machine.
 */
export function createModelOpener(options: ModelOptions, machine: ModelMachine): (name: string) => Model {
  const sources = { ...providersOn(options, machine), ...optional('prices', options.prices) };
  return (name) => {
    dropEmptyAddresses();
    return openModel(name, sources);
  };
}

/**
 * Removes provider addresses that are empty strings from the environment, because they prevent the providers'
 * packages from loading.
 */
export function dropEmptyAddresses(environment: NodeJS.ProcessEnv = process.env): void {
  for (const { urlVariable = '' } of knownProviders)
    if (environment[urlVariable]?.trim() === '') Reflect.deleteProperty(environment, urlVariable);
}

/** An LLM agent that includes the built-in model providers and reads API keys from the environment. */
export class LLMAgent extends BareLLMAgent {
  constructor(options: LLMAgentOptions = {}) {
    super(onMachine(options, machineFor(undefined)));
  }
}

/** The result of a small test request to a model. */
export interface ModelCheck {
  /** The model id, as `provider/model`. */
  readonly model: string;
  readonly ok: boolean;
  readonly seconds: number;
  readonly error?: ErrorData;
}

const patience = 20_000; // The timeout of a check, in milliseconds.
const tokens = 16; // The smallest output limit that all providers accept.

/** Sends each model a one-word request, all in parallel, without retries or fallbacks. Never throws. */
export function checkModels(
  names: readonly string[],
  options: ModelOptions,
  machine: ModelMachine,
): Promise<readonly ModelCheck[]> {
  const open = createModelOpener(options, machine);
  return Promise.all(names.map((name) => checkModel(open(name))));
}

async function checkModel(model: Model): Promise<ModelCheck> {
  const begin = performance.now();
  const request = {
    messages: [{ role: 'user', text: 'Answer with the word ok.' }],
    maxTokens: tokens,
  } as const;
  const reply = await collect(model.stream(request, AbortSignal.timeout(patience)));
  const seconds = Math.round(performance.now() - begin) / 1000;
  const error = errorIn(reply, model);
  return { model: model.id, ok: error === undefined, seconds, ...optional('error', error) };
}

/**
 * Returns the error in a model's reply, or undefined. A refusal or a truncated reply is treated as success.
 */
function errorIn({ reason, error }: ModelReply, { id }: Model): ErrorData | undefined {
  if (reason === 'aborted')
    return {
      code: 'model.timeout',
      message: `${id} did not answer within ${patience / 1000} seconds.`,
      hint: 'Try again later, or choose another model.',
    };
  if (reason !== 'error') return undefined;
  return error ?? { code: 'model.failed', message: `${id} failed without giving a reason.` };
}
