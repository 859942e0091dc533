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

/** The models that were chosen; where none was, what the machine has, which is looked at when a model is first asked. */
export function openModels(options: ModelOptions, machine: ModelMachine): BareLLMAgent {
  return new BareLLMAgent(onMachine(options, machine));
}

/** Options with ways to open and to find models on a machine, unless they have their own. */
function onMachine(options: LLMAgentOptions, machine: ModelMachine): LLMAgentOptions {
  return {
    open: createModelOpener(options, machine),
    find: () => findModels(options, machine),
    ...options,
  };
}

/** Opens models by their names `provider/model`, with the keys and servers that there are. */
export function createModelOpener(options: ModelOptions, machine: ModelMachine): (name: string) => Model {
  const sources = { ...providersOn(options, machine), ...optional('prices', options.prices) };
  return (name) => {
    dropEmptyAddresses();
    return openModel(name, sources);
  };
}

/** Unsets the addresses of providers that are empty in the environment of this process: their packages cannot even be loaded while one is. */
export function dropEmptyAddresses(environment: NodeJS.ProcessEnv = process.env): void {
  for (const { urlVariable = '' } of knownProviders)
    if (environment[urlVariable]?.trim() === '') Reflect.deleteProperty(environment, urlVariable);
}

/** The layer between those who need a model and the providers, with the providers of this package and the keys of the environment. */
export class LLMAgent extends BareLLMAgent {
  constructor(options: LLMAgentOptions = {}) {
    super(onMachine(options, machineFor(undefined)));
  }
}

/** What came of asking a model something small. */
export interface ModelCheck {
  /** `provider/model`. */
  readonly model: string;
  readonly ok: boolean;
  readonly seconds: number;
  readonly error?: ErrorData;
}

const patience = 20_000; // milliseconds
const tokens = 16; // the least that all providers take

/** Asks each model for one word, all at the same time, once and without a stand-in; never throws. */
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

/** A refusal, or an answer that was too long, is an answer all the same. */
function errorIn({ reason, error }: ModelReply, { id }: Model): ErrorData | undefined {
  if (reason === 'aborted')
    return {
      code: 'model.timeout',
      message: `${id} did not answer within ${patience / 1000} seconds.`,
      hint: 'Try again later, or name another model.',
    };
  if (reason !== 'error') return undefined;
  return error ?? { code: 'model.failed', message: `${id} failed without saying why.` };
}
