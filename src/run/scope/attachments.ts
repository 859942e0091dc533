import { hash } from 'node:crypto';
import {
  attachmentsSpace,
  checkAttachments,
  type Attachment,
  type Message,
  type MessageAttachment,
  type Store,
} from '../../core/index.ts';
import type { Execution } from '../lifecycle/execution.ts';

const retentionMs = 30 * 86_400_000; // The maximum age of pictures, in milliseconds.

/**
 * Stores pictures for a session. Returns what messages contain of them. Throws `usage.bad-input` if one is not
 * a picture.
 */
export async function storeAttachments(
  store: Pick<Store, 'set'>,
  session: string,
  given: readonly Attachment[],
): Promise<readonly MessageAttachment[]> {
  checkAttachments(given);
  const stored: MessageAttachment[] = [];
  for (const { name, mediaType, data } of given) {
    const digest = `sha256:${hash('sha256', data)}`;
    await store.set(attachmentsSpace(session), digest, data, retentionMs);
    stored.push({ name, mediaType, digest });
  }
  return stored;
}

const loaded = new WeakMap<Message, Message>();

/**
 * Adds the contents of pictures to messages. A message stays the same object from request to request. A picture
 * that is no longer stored is replaced with a remark.
 */
export async function withAttachments(
  { store, session }: Execution,
  messages: readonly Message[],
): Promise<readonly Message[]> {
  if (!messages.some(hasAttachments)) return messages;
  return await Promise.all(
    messages.map(async (message) => {
      const attachments = attachmentsIn(message);
      if (attachments.length === 0) return message;
      const known = loaded.get(message) ?? (await load(message, attachments));
      loaded.set(message, known);
      return known;
    }),
  );

  async function load(message: Message, attachments: readonly MessageAttachment[]): Promise<Message> {
    const found: MessageAttachment[] = [];
    let { text } = message;
    for (const attachment of attachments) {
      const data = await store.get(attachmentsSpace(session), attachment.digest);
      if (typeof data === 'string') found.push({ ...attachment, data });
      else text += `\n[The picture ${attachment.name} is no longer stored.]`;
    }
    return { ...message, text, attachments: found } as Message;
  }
}

function hasAttachments(message: Message): boolean {
  return message.role !== 'assistant' && message.attachments !== undefined && message.attachments.length > 0;
}

function attachmentsIn(message: Message): readonly MessageAttachment[] {
  return message.role === 'assistant' ? [] : (message.attachments ?? []);
}
