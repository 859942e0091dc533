/** The names of a provider's default models, as the provider itself names them. */
export interface UsualModels {
  readonly plan: string;
  readonly fast: string;
  readonly code: string;
}

/** A built-in provider with a default address. */
export interface KnownProvider {
  /** The provider's name, which precedes the slash in a model name. */
  readonly name: string;
  readonly label: string;
  /** The API protocol: `openai` for OpenAI's newer API, or `compatible` for the older and widely used one. */
  readonly protocol: 'anthropic' | 'openai' | 'google' | 'compatible';
  /** Environment variables for the API key, in order of precedence. Empty for local servers. */
  readonly keys: readonly string[];
  readonly url: string;
  /** The environment variable that overrides the address. */
  readonly urlVariable?: string;
  /** The default models. Absent for local servers, because the server lists its models. */
  readonly models?: UsualModels;
}

/**
 * The known providers, in order of preference. Every default model is listed in the provider's installed
 * package and has a known price, except OpenRouter's, which selects another model for each request.
 */
export const knownProviders: readonly KnownProvider[] = [
  {
    name: 'anthropic',
    label: 'Anthropic',
    protocol: 'anthropic',
    keys: ['ANTHROPIC_API_KEY'],
    url: 'https://api.anthropic.com/v1',
    urlVariable: 'ANTHROPIC_BASE_URL',
    models: { plan: 'claude-opus-5-5', fast: 'claude-haiku-5-5', code: 'claude-sonnet-5-5' },
  },
  {
    name: 'openai',
    label: 'OpenAI',
    protocol: 'openai',
    keys: ['OPENAI_API_KEY'],
    url: 'https://api.openai.com/v1',
    urlVariable: 'OPENAI_BASE_URL',
    models: { plan: 'gpt-6.1-sol', fast: 'gpt-6-luna', code: 'gpt-6.1-sol' },
  },
  {
    name: 'google',
    label: 'Google',
    protocol: 'google',
    keys: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
    url: 'https://generativelanguage.googleapis.com/v1beta',
    models: { plan: 'gemini-4-argon', fast: 'gemini-3.5-flash-lite', code: 'gemini-4-argon' },
  },
  {
    name: 'openrouter',
    label: 'OpenRouter',
    protocol: 'compatible',
    keys: ['OPENROUTER_API_KEY'],
    url: 'https://openrouter.ai/api/v1',
    models: { plan: 'openrouter/auto', fast: 'openrouter/auto', code: 'openrouter/auto' },
  },
  ownServer('ollama', 'Ollama', 11434),
  ownServer('lmstudio', 'LM Studio', 1234),
  ownServer('llamacpp', 'llama.cpp', 8080),
  ownServer('vllm', 'vLLM', 8000),
];

function ownServer(name: string, label: string, port: number): KnownProvider {
  return { name, label, protocol: 'compatible', keys: [], url: `http://127.0.0.1:${port}/v1` };
}
