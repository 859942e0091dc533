import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { charsetOf } from './text-kind.ts';

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
