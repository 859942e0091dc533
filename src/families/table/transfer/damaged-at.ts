import type { Encoding } from '../../../files/index.ts';

/** How many line breaks stand before the first byte that is none of its encoding; some byte is. */
export function damagedAt(bytes: Buffer, encoding: Encoding): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (beginningOf(bytes, middle, encoding) === undefined) bad = middle;
    else good = middle;
  }
  return (beginningOf(bytes, good, encoding) ?? '').split('\n').length - 1;
}

/** The text of the first bytes, the last of which may be a part of a character; undefined when they are damaged. */
function beginningOf(bytes: Buffer, length: number, encoding: Encoding): string | undefined {
  try {
    const decoder = new TextDecoder(encoding, { fatal: true });
    return decoder.decode(bytes.subarray(0, length), { stream: true });
  } catch {
    return undefined; // this is what is asked
  }
}
