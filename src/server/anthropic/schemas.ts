import { z } from 'zod';

const text = z.string().max(1_000_000);
const longText = z.string().max(8_000_000);
const id = z.string().min(1).max(200);

const textBlock = z.object({ type: z.literal('text'), text: longText });
const imageBlock = z.object({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [
    z.object({ type: z.literal('base64'), media_type: z.string().max(100), data: z.string() }),
    z.object({ type: z.literal('url'), url: z.string() }),
    z.object({ type: z.literal('file'), file_id: z.string() }),
  ]),
});
const documentBlock = z.object({
  type: z.literal('document'),
  title: text.nullish(),
  source: z
    .object({ type: z.string(), media_type: z.string().optional(), data: longText.optional() })
    .loose(),
});
const resultBlock = z.object({
  type: z.literal('tool_result'),
  tool_use_id: id,
  content: z
    .union([
      longText,
      z.array(z.discriminatedUnion('type', [textBlock, imageBlock, documentBlock])).max(1_000),
    ])
    .optional(),
  is_error: z.boolean().nullish(),
});

/** A block of a message. Thinking is accepted, but not used. */
const blockSchema = z.discriminatedUnion('type', [
  textBlock,
  imageBlock,
  documentBlock,
  resultBlock,
  z.object({ type: z.literal('tool_use'), id, name: id, input: z.unknown() }),
  z.object({ type: z.literal('thinking') }),
  z.object({ type: z.literal('redacted_thinking') }),
]);

/** A message of a conversation. */
const messageSchema = z.object({
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([longText, z.array(blockSchema).max(10_000)]),
});

const formatSchema = z.object({
  type: z.literal('json_schema'),
  schema: z.record(z.string(), z.unknown()),
});

/** A tool that the client executes. */
const toolSchema = z.object({
  type: z.string().nullish(),
  name: z.string().min(1).max(128),
  description: text.optional(),
  input_schema: z.record(z.string(), z.unknown()).optional(),
});

/** The body of a request for a message. Options that only concern a single model call are accepted. */
export const messagesSchema = z.object({
  model: z.string().min(1).max(300),
  max_tokens: z.int().min(0).optional(),
  messages: z.array(messageSchema).min(1).max(100_000),
  system: z.union([text, z.array(textBlock).max(1_000)]).nullish(),
  stream: z.boolean().nullish(),
  tools: z.array(toolSchema).max(1_000).nullish(),
  tool_choice: z
    .object({ type: z.enum(['auto', 'any', 'tool', 'none']), name: z.string().optional() })
    .nullish(),
  output_config: z
    .object({
      format: formatSchema.nullish(),
      effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
    })
    .nullish(),
  output_format: formatSchema.nullish(),
});

/** The body of a request for a message. */
export type MessagesBody = z.output<typeof messagesSchema>;

/** One message of a request. */
export type InputMessage = MessagesBody['messages'][number];

/** A block of a message of a request. */
export type InputBlock = Exclude<InputMessage['content'], string>[number];
