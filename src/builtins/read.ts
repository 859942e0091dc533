import { fstatSync, readSync } from 'node:fs';
import {
  AgentError,
  defineSkill,
  maxPictureBytes,
  pathNames,
  renamesInput,
  zod,
  type Scope,
} from '../core/index.ts';
import {
  headBytes,
  isMeantBy,
  numbered,
  openFile,
  readLines,
  realParts,
  refuseBinary,
  textKind,
} from '../files/index.ts';

const maxLines = 2000;
const maxCharacters = 1 << 18;
const minPictureBytes = 26; // A smaller file lacks the dimensions of a picture, and providers reject it.

/** Reads a text file or a picture in the workspace or in a listed skill. */
export const read = defineSkill({
  name: 'read',
  description:
    'Reads a text file from the workspace, or from a listed skill, and returns its lines with line numbers. ' +
    'Use offset and limit to read part of a long file. Shows pictures (PNG, JPEG, GIF, WebP).',
  permission: 'Read',
  readOnly: true,
  allowedSkills: [],
  // Some models count lines from 0, so an offset of 0 is replaced with the default.
  renameInput: renamesInput(pathNames, { offset: (line) => (line === 0 ? undefined : line) }),
  input: () => {
    const { z } = zod();
    return z.strictObject({
      file_path: z.string().min(1).describe('The file, absolute or relative to the workspace.'),
      offset: z.int().min(1).default(1).describe('The first line to return, counted from 1.'),
      limit: z.int().min(1).default(maxLines).describe('Maximum number of lines to return.'),
    });
  },
  touches: ({ file_path }) => [file_path],
  matches: (spec, { file_path }, workspace) => isMeantBy(spec, file_path, workspace),
  parts: (input, workspace) =>
    realParts(input.file_path, workspace, (file_path) => ({ ...input, file_path })),
  async run({ file_path, offset, limit }, scope) {
    const value = await scope.step('read', () =>
      readPart(file_path, offset, Math.min(limit, maxLines), scope),
    );
    if ('picture' in value) {
      const { path, bytes, picture } = value;
      const text = `The picture "${path}" (${picture.mediaType}, ${bytes.toLocaleString('en')} bytes).`;
      return { status: 'done', text, value, attachments: [picture] };
    }
    return { status: 'done', text: textOf(value), value };
  },
});

/** The part of a file that was read. */
type Part = {
  readonly path: string;
  /** The number of the first line. `to` is the number of the last line. It is 0 if the file is empty. */
  readonly from: number;
  readonly to: number;
  /** The number of lines in the file. Absent if the file is too large to count its lines. */
  readonly total?: number;
  /** The size of the entire file, in bytes. */
  readonly bytes: number;
  readonly content: string;
  /** Set if the content had bytes that are not valid UTF-8, which were replaced. */
  readonly damaged?: true;
};

/** A picture that was read. Its content is stored with the session. */
type Picture = {
  readonly path: string;
  readonly bytes: number;
  readonly picture: { readonly name: string; readonly mediaType: string; readonly digest: string };
};

async function readPart(path: string, from: number, lines: number, scope: Scope): Promise<Part | Picture> {
  using file = openFile({ workspace: scope.files.workspace, others: scope.files.readable }, path);
  const head = Buffer.alloc(headBytes);
  const kind = textKind(head.subarray(0, readSync(file.handle, head, 0, headBytes, 0)));
  const { size } = fstatSync(file.handle);
  const mediaType = pictureType(head);
  if (mediaType !== undefined && size >= minPictureBytes && size <= maxPictureBytes) {
    const content = Buffer.alloc(size);
    readSync(file.handle, content, 0, size, 0);
    const { shown } = file;
    const { name, digest } = await scope.context.attach({
      name: shown,
      mediaType,
      data: content.toString('base64'),
    });
    return { path: shown, bytes: size, picture: { name, mediaType, digest } };
  }
  if ('binary' in kind) throw refuseBinary(file.shown, kind.binary, size);
  const range = { from, lines, characters: maxCharacters };
  const found = await readLines(file.handle, kind.encoding, range, scope.signal);
  if (found.lines.length === 0 && from > 1) throw noSuchLine(file.shown, from, found.total ?? 0);
  return {
    path: file.shown,
    from,
    to: from + found.lines.length - 1,
    ...(found.total === undefined ? {} : { total: found.total }),
    bytes: size,
    content: found.lines.join('\n'),
    ...(found.isDamaged ? { damaged: true } : {}),
  };
}

/** Returns the media type of a picture that models can see, from the first bytes of a file. */
function pictureType(head: Buffer): string | undefined {
  const start = head.subarray(0, 16).toString('latin1');
  if (start.startsWith('\x89PNG\r\n') && start.endsWith('IHDR')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(start)) return 'image/gif';
  return /^RIFF[^]{4}WEBP/.test(start) ? 'image/webp' : undefined;
}

function textOf({ path, from, to, total, bytes, content, damaged }: Part): string {
  if (to === 0) return `(The file "${path}" is empty.)`;
  const notes = [
    ...(damaged === true ? ['Some bytes are not valid UTF-8 and are shown as \ufffd.'] : []),
    ...(to === total
      ? []
      : [
          `These are lines ${from} to ${to} of ${total ?? `a file of ${bytes.toLocaleString('en')} bytes`}; ` +
            `continue with offset ${to + 1}.`,
        ]),
  ];
  return [numbered(content.split('\n'), from), ...notes.map((note) => `(${note})`)].join('\n');
}

function noSuchLine(path: string, line: number, total: number): AgentError {
  const lines = total === 1 ? '1 line' : `${total} lines`;
  return new AgentError('usage.bad-input', `"${path}" has ${lines}, so there is no line ${line}.`, {
    hint: 'Use a smaller offset.',
  });
}
