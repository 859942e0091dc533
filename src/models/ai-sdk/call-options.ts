import type {
  JSONSchema7,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { ModelRequest, Tool } from '../../core/model.ts';
import { optional } from '../../core/collections.ts';

type Reasoning = NonNullable<LanguageModelV4CallOptions['reasoning']>;

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const satisfies Reasoning[];

/** What a provider is asked with a prompt; an effort that the specification does not know is left out. Pure. */
export function buildCallOptions(
  { tools = [], output, effort, maxTokens }: ModelRequest,
  prompt: LanguageModelV4CallOptions['prompt'],
  provider: string,
): LanguageModelV4CallOptions {
  return {
    prompt,
    providerOptions: providerOptionsOf(provider),
    ...(tools.length === 0 ? {} : { tools: tools.map(toFunctionTool) }),
    ...(output === undefined ? {} : { responseFormat: { type: 'json', schema: output } }),
    ...optional('maxOutputTokens', maxTokens),
    ...optional(
      'reasoning',
      efforts.find((known) => known === effort),
    ),
  };
}

// A strict schema must not have optional members, and answers are checked anyway. What OpenAI may not keep it gives out
// encrypted. Each package looks under its own name, and the compatible one sends on what it does not know.
function providerOptionsOf(provider: string): SharedV4ProviderOptions {
  const strictJsonSchema = false;
  const isResponses = provider.endsWith('.responses');
  return {
    openai: isResponses ? { strictJsonSchema, store: false } : { strictJsonSchema },
    openaiCompatible: { strictJsonSchema },
  };
}

// Anthropic refuses a schema without a type, OpenAI an object without properties.
function toFunctionTool({ name, description, input }: Tool): LanguageModelV4FunctionTool {
  const inputSchema = { type: 'object', properties: {}, ...input } as JSONSchema7;
  return { type: 'function', name, description, inputSchema };
}
