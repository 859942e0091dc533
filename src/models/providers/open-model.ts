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
  findEndpoint,
  providerNames,
  type KeyMismatch,
  type KeyOrigin,
  type ProviderEndpoint,
  type ProviderSources,
} from './endpoint.ts';
import { providerFetch as fetch } from './fetch.ts';
import { priceOf } from './prices.ts';

/** Options that determine how models are opened. */
export interface OpenModelOptions extends ProviderSources {
  /** Prices keyed by `provider/model`, which override the built-in prices. */
  readonly prices?: Readonly<Record<string, Price>>;
}

/**
 * Opens the model `provider/model`. Never fails: the first request reports a missing key, package or
 * provider.
 */
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
  const endpoint = findEndpoint(provider, options);
  if (endpoint === undefined) return createFailingModel(name, noProvider(provider, options));
  if (endpoint.mismatch !== undefined)
    return createFailingModel(name, mismatched(endpoint.label, endpoint.mismatch));
  if (!URL.canParse(endpoint.url)) return createFailingModel(name, noAddress(endpoint));
  return openAiSdkModel({
    asked: {
      id: name,
      model: modelName,
      label: endpoint.label,
      url: endpoint.url,
      ...optional('key', endpoint.key),
      keyHint: keyHint(endpoint),
      redact: createRedactor(endpoint.key === undefined ? [] : [endpoint.key.value]),
    },
    price: priceOf(name, options.prices) ?? (isHere(endpoint) ? free : undefined),
    open: () => {
      if (endpoint.needsKey && endpoint.key === undefined) return Promise.reject(noKey(endpoint));
      return loadModel(endpoint, modelName);
    },
  });
}

const free: Price = { input: 0, output: 0 };

/** Returns whether the server runs on this machine, so that its models are free. */
function isHere({ url, keyVariables }: ProviderEndpoint): boolean {
  return keyVariables.length === 0 && /^(?:localhost|127\..*|\[::1\])$/.test(new URL(url).hostname);
}

function noName(name: string): ErrorData {
  return {
    code: 'model.unavailable',
    message: `"${name}" is not a valid model name.`,
    hint: 'Use the form provider/model, such as "ollama/llama3.2".',
  };
}

function noProvider(provider: string, options: OpenModelOptions): ErrorData {
  const names = providerNames(options);
  const near = nearestNames(provider, names);
  return {
    code: 'model.unavailable',
    message: `Unknown provider "${provider}".`,
    hint: nearHint(near) ?? `Available providers: ${names.join(', ')}; you can add others in the settings.`,
    details: { near },
  };
}

function noAddress({ label, url }: ProviderEndpoint): ErrorData {
  return {
    code: 'model.unavailable',
    message: `The address "${url}" for ${label} is not a valid URL.`,
    hint: 'Use a full URL, such as "http://127.0.0.1:11434/v1".',
  };
}

/**
 * Returns the error for a key and an address from different sources. A key must not be sent to an address
 * from another source.
 */
export function mismatched(label: string, { key, address }: KeyMismatch): ErrorData {
  return {
    code: 'model.denied',
    message: `The key for ${label} comes from ${sourceText(key)}, but its address comes from ${sourceText(address)}. No request was sent, because a key is used only with an address from the same source.`,
    hint: key.from === '.env' ? hintForProjectKey(key, address) : hintFor(key, address),
    details: { passing: false, key: { ...key }, address: { ...address } },
  };
}

function sourceText({ name, from }: KeyOrigin): string {
  return from === 'environment' ? `${name} in your environment` : `${name} in ${from}`;
}

function hintForProjectKey(key: KeyOrigin, address: KeyOrigin): string {
  const isSetting = address.name.includes('.');
  return isSetting
    ? `Set ${key.name} in your environment instead of the project's .env file.`
    : `Set ${address.name} in the project's .env file as well, or set ${key.name} in your environment.`;
}

function hintFor(key: KeyOrigin, { name, from }: KeyOrigin): string {
  return from === '.env'
    ? `Set ${name} in your environment as well, or set ${key.name} in the project's .env file.`
    : `Set ${key.name} in the project's .env file, or put the server into your own settings: \`skilled config set --user ${name.replace(/\.baseUrl$/, '')} <value>\`.`;
}

function noKey(endpoint: ProviderEndpoint): AgentError {
  const { label, keyVariables } = endpoint;
  const isOne = keyVariables.length === 1;
  const none = isOne ? `${keyVariables.join()} is not set` : `neither ${keyVariables.join(' nor ')} is set`;
  return new AgentError('model.denied', `${label} requires a key, and ${none}.`, {
    hint: keyHint(endpoint),
    details: { passing: false },
  });
}

function keyHint({ name, keyVariables }: ProviderEndpoint): string {
  const [variable] = keyVariables;
  if (variable !== undefined) return `Set ${variable} to a valid key.`;
  return name === customProvider
    ? 'Use --api-key-env or SKILLED_API_KEY_ENV to name the environment variable that contains the key.'
    : `Set "apiKeyEnv" for the provider "${name}" to the name of the environment variable that contains the key.`;
}

// A placeholder that prevents packages from reading a key from the process environment.
const placeholderKey = 'none';

/** Creates a model with its provider's package. */
async function loadModel(endpoint: ProviderEndpoint, model: string): Promise<LanguageModelV4> {
  const { protocol, name, url: baseURL, key } = endpoint;
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
    throw new AgentError(
      'model.unavailable',
      `The package ${name} could not be loaded: ${reasonOf(thrown)}`,
      {
        hint: 'Reinstall skilled.',
        cause: thrown,
      },
    );
  }
}
