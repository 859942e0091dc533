import type { LanguageModelV4 } from '@ai-sdk/provider';
import {
  AgentError,
  createRedactor,
  nearHint,
  nearestNames,
  optional,
  reasonOf,
  type ErrorData,
  type Model,
  type Price,
} from '../../core/index.ts';
import { openAiSdkModel } from '../ai-sdk/model.ts';
import { createFailingModel } from '../model-end.ts';
import {
  customProvider,
  placeOf,
  providerNames,
  type KeyMismatch,
  type KeyOrigin,
  type ProviderPlace,
  type ProviderSources,
} from './endpoint.ts';
import { providerFetch as fetch } from './fetch.ts';
import { priceOf } from './prices.ts';

/** What decides about a model besides its name. */
export interface OpenModelOptions extends ProviderSources {
  /** By `provider/model`; they go before the table of the package. */
  readonly prices?: Readonly<Record<string, Price>>;
}

/** The model of the name `provider/model`. It always opens: keys are looked up, packages loaded and faults told when it is first asked. */
export function openModel(name: string, options: OpenModelOptions): Model {
  let model: Model | undefined;
  return {
    id: name,
    stream: (request, signal) => (model ??= open(name, options)).stream(request, signal),
  };
}

function open(name: string, options: OpenModelOptions): Model {
  const [, provider = '', modelName = ''] = /^([^/]+)\/(.+)$/s.exec(name) ?? [];
  if (provider === '') return createFailingModel(name, noName(name));
  const place = placeOf(provider, options);
  if (place === undefined) return createFailingModel(name, noProvider(provider, options));
  if (place.mismatch !== undefined) return createFailingModel(name, mismatched(place.label, place.mismatch));
  if (!URL.canParse(place.url)) return createFailingModel(name, noAddress(place));
  return openAiSdkModel({
    asked: {
      id: name,
      model: modelName,
      label: place.label,
      url: place.url,
      ...optional('key', place.key),
      keyHint: keyHint(place),
      redact: createRedactor(place.key === undefined ? [] : [place.key.value]),
    },
    price: priceOf(name, options.prices) ?? (isHere(place) ? free : undefined),
    open: () => {
      if (place.needsKey && place.key === undefined) return Promise.reject(noKey(place));
      return loadModel(place, modelName);
    },
  });
}

const free: Price = { input: 0, output: 0 };

/** A server of this machine, which nobody sends a bill for. */
function isHere({ url, keyVariables }: ProviderPlace): boolean {
  return keyVariables.length === 0 && /^(?:localhost|127\..*|\[::1\])$/.test(new URL(url).hostname);
}

function noName(name: string): ErrorData {
  return {
    code: 'model.unavailable',
    message: `"${name}" is not the name of a model.`,
    hint: 'Write the provider, a slash and the model, such as "ollama/llama3.2".',
  };
}

function noProvider(provider: string, options: OpenModelOptions): ErrorData {
  const names = providerNames(options);
  const near = nearestNames(provider, names);
  return {
    code: 'model.unavailable',
    message: `There is no provider "${provider}".`,
    hint: nearHint(near) ?? `Providers are ${names.join(', ')}; settings may name others.`,
    details: { near },
  };
}

function noAddress({ label, url }: ProviderPlace): ErrorData {
  return {
    code: 'model.unavailable',
    message: `The address of ${label} is "${url}", which is no URL.`,
    hint: 'Write it in full, such as "http://127.0.0.1:11434/v1".',
  };
}

/** Why nothing is sent: a key must not reach an address that somebody else chose. */
export function mismatched(label: string, { key, address }: KeyMismatch): ErrorData {
  const isOfProject = key.from === '.env';
  return {
    code: 'model.denied',
    message: `The key of ${label} is from ${sourceText(key)}, its address from ${sourceText(address)}. Nothing was sent: a key is only used with an address from the same source.`,
    hint: isOfProject
      ? `Write ${address.name} into the .env of the project as well, or set ${key.name} in your environment.`
      : hintFor(key, address),
    details: { passing: false, key: { ...key }, address: { ...address } },
  };
}

function sourceText({ name, from }: KeyOrigin): string {
  return from === 'environment' ? `${name} in your environment` : `${name} in ${from}`;
}

function hintFor(key: KeyOrigin, { name, from }: KeyOrigin): string {
  return from === '.env'
    ? `Set ${name} in your environment as well, or write ${key.name} into the .env of the project.`
    : `Write ${key.name} into the .env of the project, or put the server into your own settings: \`skilled config set --user ${name.replace(/\.baseUrl$/, '')} <value>\`.`;
}

function noKey(place: ProviderPlace): AgentError {
  const { label, keyVariables } = place;
  const isOne = keyVariables.length === 1;
  const none = isOne ? `${keyVariables.join()} is not set` : `neither ${keyVariables.join(' nor ')} is set`;
  return new AgentError('model.denied', `${label} asks for a key, and ${none}.`, {
    hint: keyHint(place),
    details: { passing: false },
  });
}

function keyHint({ name, keyVariables }: ProviderPlace): string {
  const [variable] = keyVariables;
  if (variable !== undefined) return `Set ${variable} to a key that is valid.`;
  return name === customProvider
    ? 'Name the variable that holds the key with --api-key-env or SKILLED_API_KEY_ENV.'
    : `Name the variable that holds the key as "apiKeyEnv" of the provider "${name}".`;
}

// Without a key of its own a package would look into the environment of the process.
const placeholderKey = 'none';

/** The model as its package makes it; the package is loaded here, on the first request to a provider of its kind. */
async function loadModel(place: ProviderPlace, model: string): Promise<LanguageModelV4> {
  const { protocol, name, url: baseURL, key } = place;
  const apiKey = key?.value ?? placeholderKey;
  switch (protocol) {
    case 'anthropic': {
      const { createAnthropic } = await loading('@ai-sdk/anthropic', import('@ai-sdk/anthropic'));
      return createAnthropic({ baseURL, apiKey, fetch })(model);
    }
    case 'openai': {
      const { createOpenAI } = await loading('@ai-sdk/openai', import('@ai-sdk/openai'));
      return createOpenAI({ baseURL, apiKey, fetch }).responses(model);
    }
    case 'google': {
      const { createGoogle } = await loading('@ai-sdk/google', import('@ai-sdk/google'));
      return createGoogle({ baseURL, apiKey, fetch })(model);
    }
    case 'compatible': {
      const { createOpenAICompatible } = await loading(
        '@ai-sdk/openai-compatible',
        import('@ai-sdk/openai-compatible'),
      );
      return createOpenAICompatible({
        name,
        baseURL,
        fetch,
        includeUsage: true,
        supportsStructuredOutputs: true,
        ...(key === undefined ? {} : { apiKey: key.value }),
      }).chatModel(model);
    }
  }
}

async function loading<Module>(name: string, module: Promise<Module>): Promise<Module> {
  try {
    return await module;
  } catch (thrown) {
    throw new AgentError('model.unavailable', `The package ${name} cannot be loaded: ${reasonOf(thrown)}`, {
      hint: 'Install skilled again.',
      cause: thrown,
    });
  }
}
