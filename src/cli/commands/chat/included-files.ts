import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { homeFolder } from '../../../config/paths.ts';
import { AgentError, expandHome, reasonOf } from '../../../core/index.ts';

/** A typed line, with the files that it includes. */
interface Included {
  /** The line, followed by the text of the files. */
  readonly prompt: string;
  /** The paths of the files, as they were typed. */
  readonly files: readonly string[];
}

const maxBytes = 200_000;
const marks = /(^|\s)@("[^"]+"|[^\s@]+)/g;

/**
 * Adds the files that a line names with `@path` to its prompt, as marked text. A name that is not a file stays
 * as it is. `isName` recognises the names of skills, which come first at the start of a line. Throws
 * `limit.too-large` if a file is too large, and `usage.bad-input` if it is not text.
 */
export function includeFiles(line: string, cwd: string, isName: (name: string) => boolean): Included {
  const files = new Map<string, string>();
  for (const { index, 2: written = '' } of line.matchAll(marks)) {
    const path = written.replace(/^"(.*)"$/, '$1');
    if (index === 0 && isName(path)) continue;
    const found = [path, path.replace(/[.,;:!?)\]]+$/, '')].find((one) => readText(one, cwd) !== undefined);
    if (found !== undefined) files.set(found, readText(found, cwd) ?? '');
  }
  const parts = [...files].map(
    ([path, text]) => `<file path=${JSON.stringify(path)}>\n${escapeEnd(text)}\n</file>`,
  );
  return { prompt: [line, ...parts].join('\n\n'), files: [...files.keys()] };
}

/** Returns the text of a regular file, or undefined if the path is not one. */
function readText(path: string, cwd: string): string | undefined {
  let file: number;
  try {
    file = openSync(resolve(cwd, expandHome(path, homeFolder())), constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined; // No such file: the text is not a path.
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return undefined;
    if (stats.size > maxBytes)
      throw new AgentError(
        'limit.too-large',
        `"${path}" has ${stats.size.toLocaleString('en')} bytes; at most ${maxBytes.toLocaleString('en')} can be included.`,
        {
          hint: 'Name the file without the at sign, so that it is read in parts.',
        },
      );
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (thrown) {
    if (thrown instanceof AgentError) throw thrown;
    throw new AgentError('usage.bad-input', `"${path}" cannot be included: ${reasonOf(thrown)}.`, {
      hint: 'Include a text file, or name it without the at sign.',
    });
  } finally {
    closeSync(file);
  }
}

/** Keeps the text of a file from ending its own mark. */
function escapeEnd(text: string): string {
  return text.replace(/<\/file>/gi, '<\\/file>');
}
