import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { readOwnFile, writeOwnFile } from '../skills/cache/own-file.ts';
import { hasSecret } from './write/check-setting.ts';
import { homeFolder, userFolder } from './paths.ts';

/** The lines that the user typed in earlier conversations. */
export interface LineHistory {
  /** Earlier lines, newest first. */
  readonly earlier: readonly string[];
  readonly file: string;
  /**
   * Saves a line, unless it starts with white space, is very long, or contains control characters
   * or a secret. Returns true if this call created the history file. Never throws.
   */
  add(line: string): boolean;
}

const maxLines = 1_000;
const longest = 2_000; // The maximum number of characters per line.
// The maximum size of the history file in bytes. skilled never writes a larger file.
const maxBytes = 4 * maxLines * longest;

/**
 * Opens the user's line history, which is stored in a file that only the user can read. Returns undefined if
 * there is no home folder. A path that is not a writable file is left unchanged. Never throws.
 */
export function openLineHistory(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): LineHistory | undefined {
  const folder = userFolder(environment, homeFolder(environment));
  if (folder === undefined) return undefined;
  const file = join(folder, 'history');
  return {
    file,
    earlier: readLines(file).toReversed(),
    add(line) {
      const typed = line.trimEnd();
      return isStorable(typed) && !hasSecret(typed, environment) && addTo(file, typed);
    },
  };
}

function isStorable(line: string): boolean {
  return /^\S/.test(line) && line.length <= longest && !/[\p{Cc}\u2028\u2029]/u.test(line);
}

/** Adds a line to the file. Rereads the file first, since other conversations may have added lines. */
function addTo(file: string, line: string): boolean {
  try {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    const mayWrite = stats === undefined || (stats.isFile() && (stats.mode & 0o200) !== 0);
    if (!mayWrite) return false;
    const lines = [...readLines(file).filter((other) => other !== line), line].slice(-maxLines);
    writeOwnFile(file, [Buffer.from(lines.map((one) => `${one}\n`).join(''))]);
    return stats === undefined;
  } catch {
    return false; // If the folder is not writable, the line is not saved.
  }
}

/**
 * Returns the lines of the history file, oldest first. Skips invalid lines. Returns an empty list
 * if the file is missing.
 */
function readLines(file: string): readonly string[] {
  try {
    if (lstatSync(file).size > maxBytes) return [];
    return readOwnFile(file).bytes.toString('utf8').split('\n').filter(isStorable).slice(-maxLines);
  } catch {
    return []; // The file is missing or unreadable.
  }
}
