import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { TextDecoder, promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { AgentError } from '../../core/index.ts';

/**
 * Reads and decompresses a response's body. Throws `limit.too-large` as soon as the compressed or
 * decompressed body exceeds `most` bytes.
 */
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
    throw new AgentError('skill.failed', "The page's compressed data is corrupt.", {
      hint: 'Try again; if it keeps happening, use another page.',
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
    case 'deflate': // Servers send deflate data with or without a zlib header.
      return promisify(((packed[0] ?? 0) & 0x0f) === 8 ? inflate : inflateRaw);
    default:
      throw new AgentError(
        'skill.failed',
        `The page is compressed as "${encoding}", which is not supported.`,
      );
  }
}

function tooLarge(most: number): AgentError {
  return new AgentError('limit.too-large', `The page is larger than ${most.toLocaleString('en')} bytes.`, {
    hint: 'Fetch a smaller page, or download it with another tool.',
  });
}

/**
 * Decodes a page with the encoding from its byte order mark, the HTTP header or its own declaration. Without
 * any of these, guesses the encoding from the content.
 */
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

/**
 * Returns the character set that a meta element or XML declaration at the start of a page declares. A page
 * that declares UTF-16 in ASCII cannot be UTF-16, so it is read as UTF-8.
 */
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
    return undefined; // The character set is unknown. Ignore it.
  }
}

/** The kind of text in a response body. */
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

/**
 * Returns the kind of text for a media type, or undefined if the type is not text. A body without a media
 * type is treated as text.
 */
export function textKindOf(type: string): TextKind | undefined {
  if (type === '') return 'text';
  if (type === 'text/html') return 'html';
  if (type.startsWith('text/') && type !== 'text/rtf') return 'text';
  if (Object.hasOwn(named, type)) return named[type];
  return /^application\/[\w.-]+\+(?:json|xml)$/.test(type) ? 'text' : undefined;
}

/** Returns the media type in a `content-type` header, in lowercase and without parameters. */
export function mediaTypeOf(header = ''): string {
  return (header.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** Returns the character set in a header or meta element. */
function charsetOf(header = ''): string | undefined {
  return /charset\s*=\s*["']?([^\s"';,]+)/i.exec(header)?.[1];
}
