/** A line without its end; of one that is too long only its first and its last bytes. */
export type Line = { readonly text: string } | { readonly start: string; readonly end: string };

/** Bytes of one message that are read; more is passed over without being kept in memory. */
export const longestMessage = 64 * 1024 * 1024;

const endsKept = 1024; // bytes

/** Cuts a stream of bytes into its lines, as they become whole; empty ones are left out. */
export function createMessageLines(longest = longestMessage): (bytes: Uint8Array) => readonly Line[] {
  let parts: Uint8Array[] = [];
  let length = 0;
  let start: string | undefined; // of a line that is too long

  const add = (bytes: Uint8Array): void => {
    parts.push(bytes);
    length += bytes.length;
    if (length <= longest) return;
    const all = Buffer.concat(parts);
    start ??= all.toString('latin1', 0, endsKept);
    parts = [Uint8Array.from(all.subarray(-endsKept))];
  };
  const finish = (): readonly Line[] => {
    const line = Buffer.concat(parts);
    const before = start;
    [parts, length, start] = [[], 0, undefined];
    if (before !== undefined) return [{ start: before, end: line.toString('latin1').slice(-endsKept) }];
    const text = line.toString('utf8');
    return text.trim() === '' ? [] : [{ text }];
  };

  return (bytes) => {
    const lines: Line[] = [];
    let from = 0;
    for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, from)) {
      add(bytes.subarray(from, at));
      lines.push(...finish());
      from = at + 1;
    }
    if (from < bytes.length) add(bytes.subarray(from));
    return lines;
  };
}

const newline = 10;
