import { AgentError } from '../error.ts';

/** A picture that a user adds to a prompt, or that a skill adds to its result. */
export interface Attachment {
  /** The name to show, such as the file's name. */
  readonly name: string;
  readonly mediaType: string;
  /** The content in base64. */
  readonly data: string;
}

/** A picture in a message. Its content is in the session's store; only requests to models contain it. */
export interface MessageAttachment {
  readonly name: string;
  readonly mediaType: string;
  /** `sha256:` followed by 64 hexadecimal digits. */
  readonly digest: string;
  /** The content in base64. */
  readonly data?: string;
}

/** The media types of pictures that models accept. */
const pictureTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** The maximum size of a picture, in bytes. */
export const maxPictureBytes = 5_000_000;
const maxAttachments = 20; // The maximum number of pictures in a prompt.

/** Throws `usage.bad-input` for anything that is not a list of pictures. */
export function checkAttachments(given: unknown): void {
  if (given === undefined || given === null) return;
  if (!Array.isArray(given) || given.length > maxAttachments) {
    throw new AgentError(
      'usage.bad-input',
      `attachments must be a list of at most ${maxAttachments} pictures.`,
      {
        hint: "Pass [{ name, mediaType: 'image/png', data }], with the data in base64.",
      },
    );
  }
  for (const one of given as readonly unknown[]) checkAttachment(one);
}

function checkAttachment(given: unknown): void {
  const { name, mediaType, data } = (given ?? {}) as Readonly<Record<string, unknown>>;
  if (
    typeof name !== 'string' ||
    typeof mediaType !== 'string' ||
    typeof data !== 'string' ||
    !isBase64(data)
  ) {
    throw new AgentError('usage.bad-input', 'An attachment must have a name, a mediaType and base64 data.', {
      hint: "Pass { name: 'plan.png', mediaType: 'image/png', data }.",
    });
  }
  if (!pictureTypes.includes(mediaType)) {
    throw new AgentError(
      'usage.bad-input',
      `"${name}" has the media type ${mediaType}, which models do not take.`,
      {
        hint: `Use one of ${pictureTypes.join(', ')}.`,
      },
    );
  }
  const bytes = sizeOf(data);
  if (bytes <= maxPictureBytes) return;
  throw new AgentError(
    'limit.too-large',
    `"${name}" has ${bytes.toLocaleString('en')} bytes; a picture may have ${maxPictureBytes.toLocaleString('en')}.`,
    { hint: 'Make the picture smaller.' },
  );
}

/** Whether models can take a picture: it has a known type, a valid encoding and a size within the limit. Pure. */
export function isPicture({ mediaType, data }: Attachment): boolean {
  return pictureTypes.includes(mediaType) && isBase64(data) && sizeOf(data) <= maxPictureBytes;
}

function sizeOf(data: string): number {
  return Math.floor((data.length * 3) / 4);
}

// Searches for a wrong character, because matching the whole of a large text can exhaust the stack.
function isBase64(text: string): boolean {
  return text.length > 0 && text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(text.replace(/={1,2}$/, ''));
}
