import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { TextDecoder, promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { AgentError } from '../../core/index.ts';

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

/** Text from the bytes of a page: by their mark, by the header, by what the page says of itself, else as it fits. */
export function decodePage(bytes: Uint8Array, header: string | undefined): string {
  const stated = [
    markOf(bytes),
    charsetOf(header),
    ownCharsetOf(bytes),
    isUtf8(bytes) ? 'utf-8' : 'windows-1252',
  ];
  for (const charset of stated) {
    const decoder = charset === undefined ? undefined : decoderOf(charset);
    if (decoder !== undefined) return decoder.decode(bytes);
  }
  return new TextDecoder().decode(bytes);
}

function markOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

/** Of a meta element or an XML declaration at the beginning; what can be read there is not UTF-16. */
function ownCharsetOf(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  const declared = /^<\?xml[^>]*encoding\s*=\s*["']([\w.:-]+)/i.exec(start)?.[1];
  const element = /<meta\s[^>]*charset[^>]*>/i.exec(start)?.[0];
  const charset = declared ?? charsetOf(element);
  return charset !== undefined && /^utf-16/i.test(charset) ? 'utf-8' : charset;
}

function decoderOf(charset: string): TextDecoder | undefined {
  try {
    return new TextDecoder(charset);
  } catch {
    return undefined; // a name that nobody knows says nothing
  }
}

/** How a body is read; undefined for what is no text, such as an image. */
export type TextKind = 'html' | 'text';

const named: Readonly<Record<string, TextKind>> = {
  'application/xhtml+xml': 'html',
  'application/json': 'text',
  'application/x-ndjson': 'text',
  'application/xml': 'text',
  'application/yaml': 'text',
  'application/x-yaml': 'text',
  'application/toml': 'text',
  'application/javascript': 'text',
  'application/x-javascript': 'text',
  'application/ecmascript': 'text',
  'application/sql': 'text',
  'application/x-sh': 'text',
};

/** Judges by the media type that a server states; one that states none may have sent text. */
export function textKindOf(type: string): TextKind | undefined {
  if (type === '') return 'text';
  if (type === 'text/html') return 'html';
  if (type.startsWith('text/') && type !== 'text/rtf') return 'text';
  if (Object.hasOwn(named, type)) return named[type];
  return /^application\/[\w.-]+\+(?:json|xml)$/.test(type) ? 'text' : undefined;
}

/** The bare media type of a header, in lower case. */
export function mediaTypeOf(header = ''): string {
  return (header.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** The character set that a header or the like states. */
function charsetOf(header = ''): string | undefined {
  return /charset\s*=\s*["']?([^\s"';,]+)/i.exec(header)?.[1];
}
