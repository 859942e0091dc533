import type { LanguageModelV4 } from '@ai-sdk/provider';
import { AgentError, reasonOf } from '../core/error.ts';
import { providerFetch as fetch } from './provider-fetch.ts';
import type { ProviderPlace } from './provider-place.ts';

// Without a key of its own a package would look into the environment of the process.
const noKey = 'none';

/** The model as its package makes it; the package is loaded here, on the first request to a provider of its kind. */
export async function loadModel(place: ProviderPlace, model: string): Promise<LanguageModelV4> {
  const { protocol, name, url: baseURL, key } = place;
  const apiKey = key?.value ?? noKey;
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
