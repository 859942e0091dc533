/**
 * A set of distinct strings as bytes: the position of each in the text, the text, and a hash table of their
 * numbers. It is used as it was read from a file, so that many strings need no objects.
 */
export interface StringTable {
  /** The start of each string in `text`, and the end of the last one. */
  readonly starts: Uint32Array;
  /** The hash table: each cell contains the number of a string plus one, or 0. The length is a power of two. */
  readonly cells: Uint32Array;
  readonly text: Uint8Array;
}

/**
 * Builds the table of a list of distinct strings, which are numbered from 0. `pause` yields to
 * the event loop.
 */
export async function buildStringTable(
  strings: readonly string[],
  pause: () => Promise<void> | undefined,
): Promise<StringTable> {
  const starts = new Uint32Array(strings.length + 1);
  let length = 0;
  for (const [index, one] of strings.entries()) {
    length += Buffer.byteLength(one);
    starts[index + 1] = length;
    await pause();
  }
  const text = Buffer.allocUnsafe(length);
  const cells = new Uint32Array(2 ** Math.ceil(Math.log2(2 * strings.length + 2)));
  for (const [index, one] of strings.entries()) {
    text.write(one, starts[index] ?? 0);
    let cell = hashOf(one) & (cells.length - 1);
    while (cells[cell] !== 0) cell = (cell + 1) & (cells.length - 1);
    cells[cell] = index + 1;
    await pause();
  }
  return { starts, cells, text };
}

/** Returns the number of a string, or undefined if it is not in the table. */
export function findString({ starts, cells, text }: StringTable, searched: string): number | undefined {
  let bytes: Uint8Array | undefined;
  let cell = hashOf(searched) & (cells.length - 1);
  // A damaged table may be full, so stop after one round.
  for (let round = 0; round < cells.length; round++) {
    const number = (cells[cell] ?? 0) - 1;
    if (number < 0) return undefined;
    bytes ??= Buffer.from(searched);
    const [start, end] = [starts[number] ?? 0, starts[number + 1] ?? 0];
    if (end - start === bytes.length && isEqual(text, start, bytes)) return number;
    cell = (cell + 1) & (cells.length - 1);
  }
  return undefined;
}

/** Returns the string with a number. */
export function stringAt({ starts, text }: StringTable, number: number): string {
  return Buffer.from(text.buffer, text.byteOffset, text.length).toString(
    'utf8',
    starts[number] ?? 0,
    starts[number + 1] ?? 0,
  );
}

function isEqual(text: Uint8Array, start: number, bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at++) if (text[start + at] !== bytes[at]) return false;
  return true;
}

// FNV-1a. It need not resist attacks: equal hashes only make a search longer.
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
