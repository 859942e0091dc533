import { createHash } from 'node:crypto';
import {
  AgentError,
  asText,
  optional,
  type Attachment,
  type ClientTool,
  type Json,
  type JsonObject,
  type GivenTurn,
} from '../../core/index.ts';
import type { Message } from '../../core/index.ts';
import type { Caller } from '../caller.ts';
import { addressOf } from '../chat/open-turns.ts';
import { skillOfModel, type CallResult, type ChatMessage } from '../chat/take-turn.ts';
import { messagesSchema, type InputBlock, type InputMessage, type MessagesBody } from './schemas.ts';

/** A request for a message, as the agent needs it. */
export interface MessageRequest extends ChatMessage {
  readonly model: string;
  readonly isStream: boolean;
  /** Returns where the next message is expected after a response with this text. */
  readonly nextAddress: (text: string) => string;
}

/** Reads the body of a request. Throws `usage.bad-input` for anything that cannot be used. */
export function readMessageRequest(body: unknown, session: string | null, caller: Caller): MessageRequest {
  const parsed = parseBody(body);
  const { model, messages, stream, system, output_config: config, output_format: format } = parsed;
  const skill = skillOfModel(model);
  const all = mergeRoles(messages);
  const last = all.at(-1);
  if (last?.role !== 'user')
    throw badRequest(
      'The last message must have the role "user".',
      'Answers that a client begins are not supported.',
    );
  const before = all.slice(0, -1);
  const schema = (config?.format ?? format)?.schema as JsonObject | undefined;
  checkSession(session);
  const address = (conversation: readonly MergedMessage[]): string =>
    addressOf(caller, 'anthropic', session === null ? conversation.map(digestOf) : { session });
  return {
    model,
    isStream: stream === true,
    prompt: textOfBlocks(last.blocks.filter(({ type }) => type !== 'tool_result')),
    results: last.blocks.flatMap(resultIn),
    tools: toolsIn(parsed),
    attachments: last.blocks.flatMap(picturesIn),
    history: turnsIn(before),
    address: address(before),
    nextAddress: (text) => address([...all, { role: 'assistant', blocks: [{ type: 'text', text }] }]),
    ...optional('skill', skill),
    ...optional('instructions', systemText(system)),
    ...optional('session', session === null ? undefined : `anthropic-${session}`),
    ...optional('result', schema),
    ...optional('effort', config?.effort ?? undefined),
  };
}

/** Returns the tools that the client executes. Throws for tools that only the API's own servers execute. */
function toolsIn({ tools, tool_choice: choice }: MessagesBody): readonly ClientTool[] {
  if (choice?.type === 'none') return [];
  return (tools ?? []).map(({ type, name, description = '', input_schema: input }) => {
    if ((type ?? 'custom') === 'custom' && input !== undefined)
      return { name, description, input: input as JsonObject };
    throw badRequest(
      `tools: ${JSON.stringify(name)} is not a tool with an input_schema.`,
      'Only tools that the client defines and executes are supported.',
    );
  });
}

function resultIn(block: InputBlock): readonly CallResult[] {
  if (block.type !== 'tool_result') return [];
  const { tool_use_id: id, is_error: isError } = block;
  return [{ id, text: contentText(block), isError: isError === true }];
}

/** Estimates the tokens of a request. Pure. */
export function estimateTokens(body: unknown): number {
  const { messages, system, tools } = parseBody(body);
  const texts = mergeRoles(messages).map(({ blocks }) => textOfBlocks(blocks));
  return Math.ceil(JSON.stringify([texts, system ?? '', tools ?? []]).length / 4);
}

function parseBody(body: unknown): MessagesBody {
  const { success, data, error } = messagesSchema.safeParse(body);
  if (success) return data;
  const [first] = error.issues;
  const path = first?.path.map(String).join('.').slice(0, 100) ?? '';
  throw badRequest(`${path === '' ? 'body' : path}: ${first?.message ?? 'not valid'}`);
}

function badRequest(message: string, hint = 'Compare the request with the Messages API.'): AgentError {
  return new AgentError('usage.bad-input', message, { hint });
}

function checkSession(session: string | null): void {
  if (session === null || /^[\w.:-]{1,150}$/.test(session)) return;
  throw badRequest(
    'x-skilled-session: must have 1 to 150 letters, digits, hyphens, dots, colons or underscores.',
  );
}

/** The messages of one role in a row. */
interface MergedMessage {
  readonly role: 'user' | 'assistant';
  readonly blocks: readonly InputBlock[];
}

function mergeRoles(messages: readonly InputMessage[]): readonly MergedMessage[] {
  const merged: { role: MergedMessage['role']; blocks: InputBlock[] }[] = [];
  for (const { role: given, content } of messages) {
    const role = given === 'system' ? 'user' : given;
    const blocks: readonly InputBlock[] =
      typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    const last = merged.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else merged.push({ role, blocks: [...blocks] });
  }
  return merged;
}

/** Returns a message in a form that stays the same when a client sends it again. Pure. */
function digestOf({ role, blocks }: MergedMessage): Json {
  const others = blocks.filter(({ type }) => type !== 'text' && !type.endsWith('thinking'));
  const hash = createHash('sha256').update(JSON.stringify(others)).digest('hex');
  return [role, textIn(blocks).replace(/\s+/g, ' ').trim(), others.length === 0 ? '' : hash];
}

function textIn(blocks: readonly InputBlock[]): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/** Returns the text of a message, with documents and the results of tools. Pure. */
function textOfBlocks(blocks: readonly InputBlock[]): string {
  return blocks.flatMap(textsOf).join('\n\n');
}

function textsOf(block: InputBlock): readonly string[] {
  if (block.type === 'text') return [block.text];
  if (block.type === 'document') return [documentText(block)];
  return block.type === 'tool_result'
    ? [`Result of the tool call ${block.tool_use_id}:\n${resultText(block)}`]
    : [];
}

function documentText({ title, source }: InputBlock & { readonly type: 'document' }): string {
  if (source.type !== 'text' || source.data === undefined)
    throw badRequest('Only documents with plain text are supported.', 'Send the text of the document.');
  return `${title ?? 'Document'}:\n${source.data}`;
}

function resultText(block: ResultBlock): string {
  return block.is_error === true ? `Error: ${contentText(block)}` : contentText(block);
}

function contentText({ content = '' }: ResultBlock): string {
  return typeof content === 'string' ? content : textOfBlocks(content);
}

type ResultBlock = InputBlock & { readonly type: 'tool_result' };

function picturesIn(block: InputBlock, index: number): readonly Attachment[] {
  if (block.type === 'tool_result' && typeof block.content === 'object')
    return block.content.flatMap(picturesIn);
  if (block.type !== 'image') return [];
  const { source } = block;
  if (source.type !== 'base64')
    throw badRequest(
      'Images must be sent as base64.',
      'The server does not fetch images from other addresses.',
    );
  const { media_type: mediaType, data } = source;
  return [{ name: `image-${index + 1}`, mediaType, data }];
}

function systemText(system: MessagesBody['system']): string | undefined {
  const text = typeof system === 'string' ? system : (system ?? []).map((block) => block.text).join('\n\n');
  return text.trim() === '' ? undefined : text;
}

/** Returns earlier messages as turns: each ends with an answer that is not followed by results of tools. */
function turnsIn(messages: readonly MergedMessage[]): readonly GivenTurn[] {
  const turns: GivenTurn[] = [];
  let prompt = '';
  let calls: Message[] = [];
  const names = new Map<string, string>();
  for (const [index, { role, blocks }] of messages.entries()) {
    if (role === 'user') {
      const results = blocks.filter((block) => block.type === 'tool_result');
      const isResult = calls.length > 0 && results.length > 0;
      for (const block of isResult ? results : [])
        calls.push({
          role: 'tool',
          callId: block.tool_use_id,
          name: names.get(block.tool_use_id) ?? 'tool',
          text: resultText(block),
        });
      if (!isResult) prompt = textOfBlocks(blocks);
      continue;
    }
    const uses = blocks.filter((block) => block.type === 'tool_use');
    for (const { id, name } of uses) names.set(id, name);
    const next = messages[index + 1]?.blocks ?? [];
    if (uses.length > 0 && next.some(({ type }) => type === 'tool_result')) {
      const asked = uses.map(({ id, name, input }) => ({ id, name, input: (input ?? {}) as Json }));
      calls.push({ role: 'assistant', text: textIn(blocks), calls: asked });
      continue;
    }
    const described = uses.map(({ name, input }) => `Call of ${name}: ${asText(input as Json)}`);
    turns.push({
      prompt,
      text: [textIn(blocks), ...described].join('\n'),
      ...(calls.length === 0 ? {} : { calls }),
    });
    prompt = '';
    calls = [];
  }
  return turns;
}
