import { StringDecoder } from 'node:string_decoder';

/** The end of a stream. */
export interface KeptTail {
  add(bytes: Uint8Array): void;
  /** Well-formed. */
  text(): string;
}

/** Keeps at most the last so many characters of a stream of UTF-8; memory stays within about twice that. */
export function createKeptTail(most: number): KeptTail {
  let decoder: StringDecoder | undefined;
  let kept = '';
  return {
    add(bytes) {
      decoder ??= new StringDecoder('utf8');
      kept += decoder.write(bytes);
      if (kept.length > 2 * most) kept = kept.slice(-most); // not every time, so that small pieces stay cheap
    },
    text: () => (kept === '' ? '' : kept.slice(-most).toWellFormed()),
  };
}
