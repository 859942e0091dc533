import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { readOwnFile, writeOwnFile } from '../skills/cache/own-file.ts';
import { hasSecret } from './write/check-setting.ts';
import { homeFolder, userFolder } from './paths.ts';

/** The lines that somebody typed in conversations, kept for the next one. */
export interface LineHistory {
  /** Newest first. */
  readonly earlier: readonly string[];
  readonly file: string;
  /** Keeps a line unless it begins with a blank, is very long, steers terminals or holds a secret; true when there was no file before. Never throws. */
  keep(line: string): boolean;
}

const mostLines = 1_000;
const longest = 2_000; // characters of a line
const mostBytes = 4 * mostLines * longest; // no file of ours is larger

/** The user's own lines, in a file that only they can read; undefined where there is no home. A file that cannot be written, or is none, stays as it is. Never throws. */
export function openLineHistory(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): LineHistory | undefined {
  const folder = userFolder(environment, homeFolder(environment));
  if (folder === undefined) return undefined;
  const file = join(folder, 'history');
  return {
    file,
    earlier: readKept(file).toReversed(),
    keep(line) {
      const typed = line.trimEnd();
      return isKept(typed) && !hasSecret(typed, environment) && addTo(file, typed);
    },
  };
}

function isKept(line: string): boolean {
  return /^\S/.test(line) && line.length <= longest && !/[\p{Cc}\u2028\u2029]/u.test(line);
}

/** Other conversations may have added to it meanwhile. */
function addTo(file: string, line: string): boolean {
  try {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    const mayWrite = stats === undefined || (stats.isFile() && (stats.mode & 0o200) !== 0);
    if (!mayWrite) return false;
    const lines = [...readKept(file).filter((other) => other !== line), line].slice(-mostLines);
    writeOwnFile(file, [Buffer.from(lines.map((one) => `${one}\n`).join(''))]);
    return stats === undefined;
  } catch {
    return false; // a folder that cannot be written keeps nothing, and nobody loses work by that
  }
}

/** Oldest first; none where there is no file, and of a damaged one what still are lines. */
function readKept(file: string): readonly string[] {
  try {
    if (lstatSync(file).size > mostBytes) return [];
    return readOwnFile(file).bytes.toString('utf8').split('\n').filter(isKept).slice(-mostLines);
  } catch {
    return []; // missing, or not for us
  }
}
