import type { Message, Part } from '@a2a-js/sdk';
import { AgentError, optional, type Attachment } from '../../core/index.ts';

/** A message of a client, as the agent needs it. */
export interface TaskMessage {
  readonly prompt: string;
  readonly attachments: readonly Attachment[];
  /** The skill that the metadata of the message names. */
  readonly skill?: string;
  readonly taskId?: string;
  readonly contextId?: string;
}

/** Reads a message. Throws `usage.bad-input` for content that the agent does not take. */
export function readTaskMessage(message: Message | undefined): TaskMessage {
  if (message === undefined) throw badMessage('The request has no message.');
  const { parts, metadata, taskId, contextId } = message;
  // The reader for version 0.3 lets values of other types pass.
  if (![taskId, contextId].every((id: unknown) => typeof id === 'string') || !parts.every(isReadable))
    throw badMessage('The message is not valid.');
  if (contextId !== '' && !/^[\w.:-]{1,150}$/.test(contextId))
    throw badMessage('contextId must have 1 to 150 letters, digits, hyphens, dots, colons or underscores.');
  const skill: unknown = metadata?.['skill'];
  if (skill !== undefined && typeof skill !== 'string')
    throw badMessage('The skill in metadata must be text.');
  const attachments = parts.flatMap(pictureIn);
  const prompt = parts.flatMap(textsIn).join('\n\n');
  if (prompt.trim() === '') throw badMessage('The message has no text.');
  return {
    prompt,
    attachments,
    ...optional('skill', skill),
    ...optional('taskId', taskId || undefined),
    ...optional('contextId', contextId || undefined),
  };
}

function isReadable({ content, mediaType, filename }: Part): boolean {
  const texts: readonly unknown[] = [
    mediaType,
    filename,
    ...(content?.$case === 'text' ? [content.value] : []),
  ];
  return texts.every((text) => typeof text === 'string');
}

function textsIn({ content, mediaType, filename }: Part): readonly string[] {
  if (content?.$case === 'text') return [content.value];
  if (content?.$case === 'data') return [JSON.stringify(content.value)];
  if (content?.$case === 'raw' && !mediaType.startsWith('image/')) {
    if (!mediaType.startsWith('text/')) throw unsupported(mediaType);
    return [`${filename === '' ? 'Document' : filename}:\n${content.value.toString('utf8')}`];
  }
  if (content?.$case === 'url') throw unsupported('url');
  return [];
}

function pictureIn({ content, mediaType, filename }: Part, index: number): readonly Attachment[] {
  if (content?.$case !== 'raw' || !mediaType.startsWith('image/')) return [];
  const name = filename === '' ? `image-${index + 1}` : filename;
  return [{ name, mediaType, data: content.value.toString('base64') }];
}

function unsupported(what: string): AgentError {
  return new AgentError(
    'usage.bad-input',
    `Parts of the type ${JSON.stringify(what.slice(0, 100))} are not supported.`,
    {
      hint: 'Send text, JSON, or an image as bytes.',
      details: { rpc: -32005 },
    },
  );
}

function badMessage(message: string): AgentError {
  return new AgentError('usage.bad-input', message, { hint: 'Send a message with a text part.' });
}
