import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import type { WireProtocol } from '../../src/testing/index.ts';

/** A provider's package, connected to a test server. */
export interface ProviderClient {
  readonly name: string;
  readonly protocol: WireProtocol;
  open(url: string, apiKey?: string): LanguageModelV4;
}

const modelId = 'test-model';

/** Every protocol that the packages use. */
export const providerClients: readonly ProviderClient[] = [
  {
    name: 'openai-compatible',
    protocol: 'openai-chat',
    open: (url, apiKey = 'key') =>
      createOpenAICompatible({ name: 'local', baseURL: `${url}/v1`, apiKey, includeUsage: true })(modelId),
  },
  {
    name: 'openai chat',
    protocol: 'openai-chat',
    open: (url, apiKey = 'key') => createOpenAI({ baseURL: `${url}/v1`, apiKey }).chat(modelId),
  },
  {
    name: 'openai responses',
    protocol: 'openai-responses',
    open: (url, apiKey = 'key') => createOpenAI({ baseURL: `${url}/v1`, apiKey }).responses(modelId),
  },
  {
    name: 'anthropic',
    protocol: 'anthropic-messages',
    open: (url, apiKey = 'key') => createAnthropic({ baseURL: `${url}/v1`, apiKey })(modelId),
  },
];

/** A package's reading of an answer. */
export interface Received {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: string }[];
  /** The error messages in the stream. */
  readonly errors: readonly string[];
  /** Undefined if the stream ended without a finish reason. */
  readonly finish: string | undefined;
  readonly inputTokens?: number | undefined;
  readonly cachedTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  /** The metadata in all parts of the answer that the provider expects to get back. */
  readonly metadata: readonly unknown[];
}

/** A question with two tools. */
export const question: LanguageModelV4CallOptions = {
  prompt: [{ role: 'user', content: [{ type: 'text', text: 'What is the weather?' }] }],
  tools: ['read', 'note'].map((name) => ({
    type: 'function',
    name,
    description: 'A tool.',
    inputSchema: { type: 'object' },
  })),
};

/** Reads a streamed answer. `onPart` receives the parts as they arrive. */
export async function readStream(
  model: LanguageModelV4,
  options: Partial<LanguageModelV4CallOptions> = {},
  onPart: (part: LanguageModelV4StreamPart) => void = () => undefined,
): Promise<Received> {
  const { stream } = await model.doStream({ ...question, ...options });
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) {
    parts.push(part);
    onPart(part);
  }
  const finish = parts.find((part) => part.type === 'finish');
  return {
    text: parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join(''),
    reasoning: parts.map((part) => (part.type === 'reasoning-delta' ? part.delta : '')).join(''),
    calls: parts.flatMap((part) => (part.type === 'tool-call' ? [callOf(part)] : [])),
    errors: parts.flatMap((part) => (part.type === 'error' ? [messageOf(part.error)] : [])),
    finish: finish?.finishReason.unified,
    ...usageOf(finish?.usage),
    metadata: parts.flatMap((part) => ('providerMetadata' in part ? [part.providerMetadata] : [])),
  };
}

/** Reads the same answer without streaming. */
export async function readWhole(
  model: LanguageModelV4,
  options: Partial<LanguageModelV4CallOptions> = {},
): Promise<Received> {
  const { content, finishReason, usage } = await model.doGenerate({ ...question, ...options });
  return {
    text: content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    reasoning: content.map((part) => (part.type === 'reasoning' ? part.text : '')).join(''),
    calls: content.flatMap((part) => (part.type === 'tool-call' ? [callOf(part)] : [])),
    errors: [],
    finish: finishReason.unified,
    ...usageOf(usage),
    metadata: content.flatMap((part) => ('providerMetadata' in part ? [part.providerMetadata] : [])),
  };
}

function callOf(call: Extract<LanguageModelV4Content, { type: 'tool-call' }>): Received['calls'][number] {
  return { id: call.toolCallId, name: call.toolName, input: call.input };
}

function usageOf(
  usage: Extract<LanguageModelV4StreamPart, { type: 'finish' }>['usage'] | undefined,
): Partial<Received> {
  return {
    inputTokens: usage?.inputTokens.total,
    cachedTokens: usage?.inputTokens.cacheRead,
    cacheWriteTokens: usage?.inputTokens.cacheWrite,
    outputTokens: usage?.outputTokens.total,
  };
}

function messageOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message);
  return String(error);
}
