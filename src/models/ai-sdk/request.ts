import type {
  JSONSchema7,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import {
  countShared,
  isJsonObject,
  optional,
  type Json,
  type Message,
  type MessageAttachment,
  type ModelRequest,
  type Tool,
} from '../../core/index.ts';
import { callInputObject } from './turn.ts';

type AssistantTurn = LanguageModelV4Message & { readonly role: 'assistant' };
type AssistantMessage = Message & { readonly role: 'assistant' };

/**
 * Creates a function that builds prompts for one provider. Each message is converted only once, so
 * a later request in the same conversation converts only the new messages.
 */
export function createPromptBuilder(provider: string): (request: ModelRequest) => LanguageModelV4Prompt {
  const known = new WeakMap<Message, LanguageModelV4Message>();
  let last: Converted = { messages: [], turns: [] };
  const turnOf = (message: Message): LanguageModelV4Message => {
    const turn = known.get(message) ?? convert(message, provider);
    known.set(message, turn);
    return turn;
  };
  const turnsOf = (messages: readonly Message[]): readonly LanguageModelV4Message[] => {
    const isLonger = countShared(last.messages, messages) === last.messages.length;
    const before = isLonger ? last : { messages: [], turns: [] };
    const turns = [...before.turns];
    let left: FilePart[] = []; // Pictures of tool results, which follow all results of a step.
    for (const message of messages.slice(before.messages.length)) {
      if (message.role !== 'tool' && left.length > 0) append(turns, pictureTurn(left));
      if (message.role !== 'tool') left = [];
      else if (!takesResultPictures(provider)) left.push(...filesOf(message.attachments));
      append(turns, turnOf(message));
    }
    if (left.length > 0) append(turns, pictureTurn(left));
    last = { messages: [...messages], turns };
    return turns;
  };

  return ({ system, messages, tools = [] }) => {
    const first: LanguageModelV4Prompt = system === undefined ? [] : [{ role: 'system', content: system }];
    const prompt = [...first, ...turnsOf(messages)];
    return tools.length > 0 ? markForCache(prompt) : prompt;
  };
}

function pictureTurn(files: readonly FilePart[]): LanguageModelV4Message {
  return { role: 'user', content: [{ type: 'text', text: 'The pictures of these results:' }, ...files] };
}

interface Converted {
  readonly messages: readonly Message[];
  readonly turns: readonly LanguageModelV4Message[];
}

function convert(message: Message, provider: string): LanguageModelV4Message {
  switch (message.role) {
    case 'user':
      return {
        role: 'user',
        content: [{ type: 'text', text: message.text }, ...filesOf(message.attachments)],
      };
    case 'tool': {
      const { callId: toolCallId, name: toolName, text: value } = message;
      const files = takesResultPictures(provider) ? filesOf(message.attachments) : [];
      const output: LanguageModelV4ToolResultOutput =
        files.length === 0
          ? { type: 'text', value }
          : { type: 'content', value: [{ type: 'text', text: value }, ...files] };
      return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] };
    }
    default:
      return { role: 'assistant', content: nativeContent(message, provider) ?? plainContent(message) };
  }
}

type FilePart = Extract<
  Extract<LanguageModelV4ToolResultOutput, { type: 'content' }>['value'][number],
  { type: 'file' }
>;

function filesOf(attachments: readonly MessageAttachment[] = []): FilePart[] {
  return attachments.flatMap(({ mediaType, data }) =>
    data === undefined ? [] : [{ type: 'file' as const, mediaType, data: { type: 'data' as const, data } }],
  );
}

/**
 * Whether a provider's package sends pictures in tool results. Other packages would send them as text, so
 * there the pictures follow in a user message.
 */
function takesResultPictures(provider: string): boolean {
  return provider.endsWith('.responses') || /^(?:anthropic|google)\b/.test(provider);
}

function plainContent({ text, calls = [] }: AssistantMessage): AssistantTurn['content'] {
  return [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...calls.map((call) => ({
      type: 'tool-call' as const,
      toolCallId: call.id,
      toolName: call.name,
      input: callInputObject(call),
    })),
  ];
}

/** Returns a message in the provider's own format, provided that its calls have not changed. */
function nativeContent(message: AssistantMessage, provider: string): AssistantTurn['content'] | undefined {
  const { native, calls = [] } = message;
  if (native?.provider !== provider || !Array.isArray(native.content)) return undefined;
  const parts = (native.content as readonly Json[]).filter(isJsonObject);
  const callIds = parts.filter((part) => part['type'] === 'tool-call').map((part) => part['toolCallId']);
  const isSame = callIds.length === calls.length && calls.every(({ id }, index) => id === callIds[index]);
  return isSame ? (parts as unknown as AssistantTurn['content']) : undefined;
}

/**
 * Appends a turn. Consecutive tool results or user messages are merged, because many models require
 * alternating turns. Empty turns are dropped.
 */
function append(prompt: LanguageModelV4Prompt, turn: LanguageModelV4Message): void {
  const last = prompt.at(-1);
  if (turn.role === 'tool' && last?.role === 'tool') {
    prompt.splice(-1, 1, { ...last, content: [...last.content, ...turn.content] });
  } else if (turn.role === 'user' && last?.role === 'user') {
    const text = [last, turn].flatMap(textsIn).join('\n\n');
    const files = [last, turn].flatMap(({ content }) => content.filter((part) => part.type === 'file'));
    prompt.splice(-1, 1, { role: 'user', content: [{ type: 'text', text }, ...files] });
  } else if (turn.content.length > 0) prompt.push(turn);
}

function textsIn({ content }: LanguageModelV4Message & { readonly role: 'user' }): readonly string[] {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}

const mark = { anthropic: { cacheControl: { type: 'ephemeral' } } };

// Marks the prompt for caching, because a conversation with tools is sent repeatedly. Anthropic
// caches only marked messages; other providers ignore the marks.
function markForCache(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const [first, last] = [prompt[0], prompt.at(-1)];
  if (last !== undefined) prompt[prompt.length - 1] = { ...last, providerOptions: mark };
  if (first?.role === 'system') prompt[0] = { ...first, providerOptions: mark };
  return prompt;
}

type Reasoning = NonNullable<LanguageModelV4CallOptions['reasoning']>;

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const satisfies Reasoning[];

/** Builds the AI SDK's call options for a prompt. Omits an unknown effort. Pure. */
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

// Strict mode is off, because it forbids optional properties and responses are validated anyway. Without
// storage, OpenAI returns encrypted reasoning. Each package reads only the options under its own name, but
// the package for compatible servers forwards unknown options.
function providerOptionsOf(provider: string): SharedV4ProviderOptions {
  const strictJsonSchema = false;
  const isResponses = provider.endsWith('.responses');
  return {
    openai: isResponses ? { strictJsonSchema, store: false } : { strictJsonSchema },
    openaiCompatible: { strictJsonSchema },
  };
}

// Converts a tool. Adds `type` and `properties` to its schema, because Anthropic requires the first and
// OpenAI the second.
function toFunctionTool({ name, description, input }: Tool): LanguageModelV4FunctionTool {
  const inputSchema = { type: 'object', properties: {}, ...input } as JSONSchema7;
  return { type: 'function', name, description, inputSchema };
}
