import { hash } from 'node:crypto';
import { checksumOf, readOwnFile, writeOwnFile } from './own-file.ts';

/**
 * Numbers that depend only on a text, kept for the next start, so that the code that computes them need not be
 * loaded. Only hashes of the texts are stored.
 */
export interface Facts {
  /** Returns the number for a text, and computes it with `compute` only if it is unknown. */
  of(kind: string, text: string, compute: (text: string) => number): number;
  /** Writes new facts to the file. If it cannot be written, they are computed again. Never throws. */
  save(): void;
}

const format = 'skilled-facts 1';
const most = 20_000; // The file then has about 700 KB.

/**
 * Opens the facts in a file, or facts in memory only. `key` changes with the code that computes them. The file
 * is read when the first fact is needed. A file that is damaged or belongs to another user counts as empty.
 */
export function openFacts(file: string | undefined, key: () => string): Facts {
  let known: Map<string, number> | undefined;
  const used = new Map<string, number>();
  let isChanged = false;
  return {
    of(kind, text, compute) {
      const name = `${kind} ${hash('sha256', text, 'base64url').slice(0, 24)}`;
      known ??= file === undefined ? new Map<string, number>() : readFacts(file, key());
      const value = used.get(name) ?? known.get(name) ?? compute(text);
      if (!known.has(name)) isChanged = true;
      known.set(name, value);
      used.set(name, value);
      return value;
    },
    save() {
      if (file === undefined || known === undefined || !isChanged) return;
      // Facts that this process did not use are the first to be left out.
      const all = [...used, ...[...known].filter(([name]) => !used.has(name))].slice(0, most);
      const body = Buffer.from(JSON.stringify(Object.fromEntries(all)));
      try {
        writeOwnFile(file, [Buffer.from(`${sealOf(key(), body)}\n`), body]);
        isChanged = false;
      } catch {
        // The folder cannot be written: the facts are computed again.
      }
    },
  };
}

function readFacts(file: string, key: string): Map<string, number> {
  try {
    const { bytes } = readOwnFile(file);
    const end = bytes.indexOf('\n');
    const body = bytes.subarray(end + 1);
    if (end < 0 || bytes.toString('utf8', 0, end) !== sealOf(key, body)) return new Map();
    return new Map(Object.entries(JSON.parse(body.toString('utf8')) as Record<string, number>));
  } catch {
    return new Map(); // The file is missing or not readable.
  }
}

function sealOf(key: string, body: Uint8Array): string {
  return `${format} ${JSON.stringify(key)} ${body.length} ${checksumOf(body)}`;
}
