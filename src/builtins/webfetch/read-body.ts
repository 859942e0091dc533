import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { AgentError } from '../../core/error.ts';

/** The whole body, unpacked; throws `limit.too-large` as soon as it exceeds so many bytes, packed or not. */
export async function readBody(answer: IncomingMessage, most: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of answer as AsyncIterable<Uint8Array>) {
    size += piece.length;
    if (size > most) throw tooLarge(most);
    pieces.push(piece);
  }
  const packed = Buffer.concat(pieces);
  const unpack = unpackingOf(answer.headers['content-encoding'], packed);
  if (unpack === undefined || packed.length === 0) return packed;
  try {
    return await unpack(packed, { maxOutputLength: most });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(most);
    throw new AgentError('skill.failed', 'The page is packed, and what it is packed into is damaged.', {
      hint: 'Try again; if it stays so, use another page.',
      cause: thrown,
    });
  }
}

type Unpack = (packed: Uint8Array, options: { readonly maxOutputLength: number }) => Promise<Uint8Array>;

function unpackingOf(encoding = '', packed: Uint8Array): Unpack | undefined {
  switch (encoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return promisify(gunzip);
    case 'br':
      return promisify(brotliDecompress);
    case 'deflate': // with or without the header of zlib, which servers do not agree on
      return promisify(((packed[0] ?? 0) & 0x0f) === 8 ? inflate : inflateRaw);
    default:
      throw new AgentError('skill.failed', `The page is packed as "${encoding}", which is not understood.`);
  }
}

function tooLarge(most: number): AgentError {
  return new AgentError('limit.too-large', `The page has more than ${most.toLocaleString('en')} bytes.`, {
    hint: 'Fetch a smaller page, or download it with another tool.',
  });
}
