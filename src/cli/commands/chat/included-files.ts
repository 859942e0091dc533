import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { homeFolder } from '../../../config/paths.ts';
import { AgentError, expandHome, maxPictureBytes, reasonOf, type Attachment } from '../../../core/index.ts';

/** A typed line, with the files that it includes. */
interface Included {
  /** The line, followed by the text of the text files. */
  readonly prompt: string;
  /** The paths of all files, as they were typed. */
  readonly files: readonly string[];
  readonly attachments: readonly Attachment[];
}

const maxBytes = 200_000; // The maximum size of a text file.
const marks = /(^|\s)@("[^"]+"|[^\s@]+)/g;
const pictures: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
};

/**
 * Adds the files that a line names with `@path` to its prompt: text as marked text, and pictures as
 * attachments. A name that is not a file stays as it is. `isName` recognises the names of skills, which come
 * first at the start of a line. Throws `limit.too-large` if a file is too large, and `usage.bad-input` if it is
 * neither text nor a picture.
 */
export function includeFiles(line: string, cwd: string, isName: (name: string) => boolean): Included {
  const files = new Map<string, Buffer>();
  for (const { index, 2: written = '' } of line.matchAll(marks)) {
    const path = written.replace(/^"(.*)"$/, '$1');
    if (index === 0 && isName(path)) continue;
    for (const name of [path, path.replace(/[.,;:!?)\]]+$/, '')]) {
      const bytes = files.get(name) ?? readRegular(name, cwd);
      if (bytes === undefined) continue;
      files.set(name, bytes);
      break;
    }
  }
  const texts = [...files].filter(([path]) => mediaTypeOf(path) === undefined);
  const parts = texts.map(
    ([path, bytes]) => `<file path=${JSON.stringify(path)}>\n${escapeEnd(decode(path, bytes))}\n</file>`,
  );
  const attachments = [...files].flatMap(([name, bytes]): readonly Attachment[] => {
    const mediaType = mediaTypeOf(name);
    return mediaType === undefined ? [] : [{ name, mediaType, data: bytes.toString('base64') }];
  });
  return { prompt: [line, ...parts].join('\n\n'), files: [...files.keys()], attachments };
}

function mediaTypeOf(path: string): string | undefined {
  return pictures[extname(path).toLowerCase()];
}

/** Returns the content of a regular file, or undefined if the path is not one. */
function readRegular(path: string, cwd: string): Buffer | undefined {
  let file: number;
  try {
    file = openSync(resolve(cwd, expandHome(path, homeFolder())), constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined; // There is no such file, so the text is not a path.
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return undefined;
    const most = mediaTypeOf(path) === undefined ? maxBytes : maxPictureBytes;
    if (stats.size <= most) return readFileSync(file);
    const [size, limit] = [stats.size.toLocaleString('en'), most.toLocaleString('en')];
    throw new AgentError(
      'limit.too-large',
      `"${path}" has ${size} bytes; at most ${limit} can be included.`,
      {
        hint: 'Name the file without the at sign, so that it is read in parts.',
      },
    );
  } finally {
    closeSync(file);
  }
}

function decode(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (thrown) {
    throw new AgentError('usage.bad-input', `"${path}" is neither text nor a picture: ${reasonOf(thrown)}.`, {
      hint: 'Name the file without the at sign.',
    });
  }
}

/** Keeps the text of a file from ending its own mark. */
function escapeEnd(text: string): string {
  return text.replace(/<\/file>/gi, '<\\/file>');
}
