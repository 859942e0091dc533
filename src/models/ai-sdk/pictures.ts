import type { Message, MessageAttachment, ModelRequest } from '../../core/index.ts';
import { readFault } from './failures.ts';

/** Replaces the pictures of requests for a model that does not take any. */
export interface PictureFilter {
  /** Returns the request as the model takes it, as far as this is known. */
  fit(request: ModelRequest): ModelRequest;
  /** Returns the request with a text instead of each picture, or undefined if it has no pictures. */
  withoutPictures(request: ModelRequest): ModelRequest | undefined;
  /** Records that the model answered only after its pictures were replaced. */
  learn(): void;
}

/** Creates a filter for one model. Each message is converted only once. */
export function createPictureFilter(): PictureFilter {
  const known = new WeakMap<Message, Message>();
  let takesPictures = true;
  const plain = (message: Message): Message => {
    const pictures = picturesIn(message);
    if (pictures.length === 0) return message;
    const converted = known.get(message) ?? describePictures(message, pictures);
    known.set(message, converted);
    return converted;
  };
  const withoutPictures = (request: ModelRequest): ModelRequest | undefined => {
    const messages = request.messages.map(plain);
    const isSame = messages.every((message, index) => message === request.messages[index]);
    return isSame ? undefined : { ...request, messages };
  };
  return {
    fit: (request) => (takesPictures ? request : (withoutPictures(request) ?? request)),
    withoutPictures,
    learn: () => void (takesPictures = false),
  };
}

function picturesIn(message: Message): readonly MessageAttachment[] {
  return message.role === 'assistant' ? [] : (message.attachments ?? []);
}

function describePictures(message: Message, pictures: readonly MessageAttachment[]): Message {
  if (message.role === 'assistant') return message;
  const { attachments: _, ...rest } = message;
  const lines = pictures.map(
    ({ name }) => `[The picture ${JSON.stringify(name)} is not shown: this model does not take pictures.]`,
  );
  return { ...rest, text: [message.text, ...lines].filter((line) => line !== '').join('\n\n') };
}

const about = /\bimages?\b|image_url|multi-?modal|\bvision\b/i;

/**
 * Whether a model may have rejected a request because of its pictures. Providers give no reason that a program
 * can rely on, so every request that is called bad counts; all other failures count only if they name pictures.
 */
export function mayRejectPictures(thrown: unknown): boolean {
  const { status = 0, sentence, marks } = readFault(thrown);
  if ([400, 415, 422].includes(status)) return true;
  return [404, 500, 501].includes(status) && about.test(`${marks} ${sentence}`);
}
