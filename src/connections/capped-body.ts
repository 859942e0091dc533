import { longestMessage } from './message-lines.ts';

/** Why a body was given up. */
export class TooLong extends Error {
  override readonly name = 'TooLong';

  constructor() {
    super('the answer is too long');
  }
}

/** A response whose body fails where one message of it is too long: all of it, or an event of a stream of events. */
export function withCappedBody(
  response: Response,
  onTooLong: () => void,
  longest = longestMessage,
): Response {
  const { body, status, statusText, headers } = response;
  if (body === null || (status >= 300 && status < 400)) return response;
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
  let length = 0;
  let last = 0;
  const cap = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      const start = isStream ? eventStart(bytes, last) : -1;
      length = start === -1 ? length + bytes.length : bytes.length - start;
      last = bytes.at(-1) ?? last;
      if (length <= longest) {
        controller.enqueue(bytes);
        return;
      }
      onTooLong();
      controller.error(new TooLong());
    },
  });
  return new Response(body.pipeThrough(cap), { status, statusText, headers });
}

/** Where the last event that begins in these bytes begins, behind an empty line; -1 where none does. */
function eventStart(bytes: Uint8Array, last: number): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const starts = ['\n\n', '\r\n\r\n', '\r\r'].map((gap) => {
    const at = text.lastIndexOf(gap);
    return at === -1 ? -1 : at + gap.length;
  });
  const found = Math.max(...starts);
  if (found !== -1) return found;
  return last === newline && text[0] === newline ? 1 : -1;
}

const newline = 10;
