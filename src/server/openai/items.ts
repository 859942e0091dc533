import { isJsonObject, type Attachment, type Json, type JsonObject } from '../../core/index.ts';
import { functionType, type ClientResult } from './client-calls.ts';
import type { ConversationItem } from './conversation-item.ts';
import { earlierTurns, type EarlierTurn } from './earlier-turns.ts';
import { badRequest } from './errors.ts';

/** Reads the `messages` of a Chat Completions request. Throws `usage.bad-input`. */
export function readMessages(messages: Json | undefined): readonly ConversationItem[] {
  if (!Array.isArray(messages) || messages.length === 0)
    throw badRequest('"messages" must be a list with messages.');
  return (messages as readonly Json[]).flatMap((message, index) => {
    if (!isJsonObject(message)) throw badRequest(`Message ${index + 1} is not an object.`);
    if (message['role'] !== 'tool' && message['role'] !== functionType) return messageItems(message, index);
    return [
      {
        kind: 'result',
        id: textIn(message['tool_call_id']),
        text: contentOf(message['content'], index).text,
      },
    ];
  });
}

/** Reads the `input` of a Responses request. Throws `usage.bad-input`. */
export function readInput(input: Json | undefined): readonly ConversationItem[] {
  if (typeof input === 'string') return [{ kind: 'user', text: input, attachments: [] }];
  if (!Array.isArray(input) || input.length === 0)
    throw badRequest('"input" must be text or a list of items.');
  return (input as readonly Json[]).flatMap((item, index): readonly ConversationItem[] => {
    if (!isJsonObject(item)) throw badRequest(`Input item ${index + 1} is not an object.`);
    const { type = 'message' } = item;
    if (type === 'message') return messageItems(item, index);
    const id = textIn(item['call_id']);
    if (type === 'function_call')
      return [{ kind: 'call', id, name: textIn(item['name']), arguments: textIn(item['arguments']) }];
    if (type === 'function_call_output')
      return [{ kind: 'result', id, text: contentOf(item['output'], index).text }];
    if (type === 'reasoning') return [];
    throw badRequest(
      `Input item ${index + 1} has the type ${JSON.stringify(type).slice(0, 60)}, which is not supported.`,
    );
  });
}

function messageItems(message: JsonObject, index: number): readonly ConversationItem[] {
  const { role, content, tool_calls: calls } = message;
  if (role === 'user') return [{ kind: 'user', ...contentOf(content, index) }];
  if (role === 'system' || role === 'developer')
    return [{ kind: 'system', text: contentOf(content, index).text }];
  if (role !== 'assistant')
    throw badRequest(`Message ${index + 1} has the role ${JSON.stringify(role ?? null).slice(0, 60)}.`);
  const { text } = contentOf(content, index);
  return [
    ...(text === '' ? [] : [{ kind: 'assistant', text } as const]),
    ...(Array.isArray(calls) ? (calls as readonly Json[]) : []).map((call) => callItem(call)),
  ];
}

function callItem(call: Json): ConversationItem {
  const { id, function: called } = isJsonObject(call) ? call : {};
  const { name, arguments: given } = isJsonObject(called) ? called : {};
  return { kind: 'call', id: textIn(id), name: textIn(name), arguments: textIn(given) };
}

function textIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

interface Content {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** Reads the content of a message: text, or a list of parts. */
function contentOf(content: Json | undefined, index: number): Content {
  if (content === undefined || content === null) return { text: '', attachments: [] };
  if (typeof content === 'string') return { text: content, attachments: [] };
  if (!Array.isArray(content))
    throw badRequest(`The content of message ${index + 1} is neither text nor a list.`);
  const texts: string[] = [];
  const attachments: Attachment[] = [];
  for (const part of content as readonly Json[]) {
    const { type, text, refusal, image_url: image } = isJsonObject(part) ? part : {};
    if (type === 'text' || type === 'input_text' || type === 'output_text') texts.push(textIn(text));
    else if (type === 'refusal') texts.push(textIn(refusal));
    else if (type === 'image_url' || type === 'input_image')
      attachments.push(pictureIn(isJsonObject(image) ? image['url'] : image, attachments.length));
    else
      throw badRequest(
        `Message ${index + 1} has a part of the type ${JSON.stringify(type ?? null).slice(0, 60)}, which is not supported.`,
      );
  }
  return { text: texts.join('\n'), attachments };
}

/** Reads a picture. The server loads nothing from addresses that a client names. */
function pictureIn(url: Json | undefined, index: number): Attachment {
  const [, mediaType, data] =
    typeof url === 'string' ? (/^data:([\w.+/-]+);base64,(.*)$/s.exec(url) ?? []) : [];
  if (mediaType === undefined || data === undefined)
    throw badRequest('A picture is not a data URL.', 'Send pictures as data:image/png;base64,….');
  return { name: `image-${index + 1}`, mediaType: mediaType.toLowerCase(), data };
}

/** A conversation, split into what the request asks now and what was said before. */
export interface SplitConversation {
  readonly instructions: string | undefined;
  readonly earlier: readonly EarlierTurn[];
  readonly prompt: string;
  readonly attachments: readonly Attachment[];
  /** The results of the client's tools at the end of the conversation. */
  readonly results: readonly ClientResult[];
  /** The items before the last message. */
  readonly before: readonly ConversationItem[];
}

/** Splits a conversation. Throws `usage.bad-input` if it does not end with the user's message or tool results. */
export function splitConversation(items: readonly ConversationItem[]): SplitConversation {
  const texts = items.flatMap((item) => (item.kind === 'system' ? [item.text] : []));
  const said = items.filter(({ kind }) => kind !== 'system');
  const instructions = texts.join('\n\n').trim() === '' ? undefined : texts.join('\n\n');
  const lastOther = said.findLastIndex(({ kind }) => kind !== 'user');
  const last = said.at(-1);
  if (last?.kind === 'result') {
    const from = said.findLastIndex(({ kind }) => kind !== 'result') + 1;
    const results = said.slice(from).flatMap((item) => (item.kind === 'result' ? [item] : []));
    return { instructions, earlier: [], prompt: '', attachments: [], results, before: said.slice(0, from) };
  }
  const now = said.slice(lastOther + 1).flatMap((item) => (item.kind === 'user' ? [item] : []));
  const prompt = now.map(({ text }) => text).join('\n\n');
  const attachments = now.flatMap((item) => item.attachments);
  if (now.length === 0 || (prompt.trim() === '' && attachments.length === 0))
    throw badRequest('The last message is not a message of the user with text.');
  const before = said.slice(0, lastOther + 1);
  return {
    instructions,
    earlier: earlierTurns(before),
    prompt: prompt.trim() === '' ? 'Look at the pictures.' : prompt,
    attachments,
    results: [],
    before,
  };
}
