import { fstatSync, readSync } from 'node:fs';
import { AgentError, defineSkill, zod, type Scope } from '../core/index.ts';
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

const mostLines = 2000;
const mostCharacters = 1 << 18;

/** Reads a file of the workspace, or of a skill that is listed in the frame. */
export const read = defineSkill({
  name: 'read',
  description:
    'Reads a text file of the workspace, or of a listed skill, and returns its lines with their numbers. ' +
    'Give offset and limit to read a part of a long file.',
  permission: 'Read',
  readOnly: true,
  allowedSkills: [],
  input: () => {
    const { z } = zod();
    return z.strictObject({
      file_path: z.string().min(1).describe('The file, absolute or relative to the workspace.'),
      offset: z.int().min(1).default(1).describe('The first line to return, counted from 1.'),
      limit: z.int().min(1).default(mostLines).describe('The most lines to return.'),
    });
  },
  touches: ({ file_path }) => [file_path],
  matches: (spec, { file_path }, workspace) => isMeantBy(spec, file_path, workspace),
  parts: (input, workspace) =>
    realParts(input.file_path, workspace, (file_path) => ({ ...input, file_path })),
  async run({ file_path, offset, limit }, scope) {
    const value = await scope.step('read', () =>
      readPart(file_path, offset, Math.min(limit, mostLines), scope),
    );
    return { status: 'done', text: textOf(value), value };
  },
});

/** Some lines of a file. */
type Part = {
  readonly path: string;
  /** The first and the last line; `to` is 0 when the file is empty. */
  readonly from: number;
  readonly to: number;
  /** How many lines the file has; absent when it is too large to count them. */
  readonly total?: number;
  /** Of the whole file. */
  readonly bytes: number;
  readonly content: string;
  /** Set when some bytes were no UTF-8 and were replaced. */
  readonly damaged?: true;
};

async function readPart(path: string, from: number, lines: number, scope: Scope): Promise<Part> {
  using file = openFile({ workspace: scope.files.workspace, others: scope.files.readable }, path);
  const head = Buffer.alloc(headBytes);
  const kind = textKind(head.subarray(0, readSync(file.handle, head, 0, headBytes, 0)));
  const { size } = fstatSync(file.handle);
  if ('binary' in kind) throw refuseBinary(file.shown, kind.binary, size);
  const wanted = { from, lines, characters: mostCharacters };
  const found = await readLines(file.handle, kind.encoding, wanted, scope.signal);
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

function textOf({ path, from, to, total, bytes, content, damaged }: Part): string {
  if (to === 0) return `(The file "${path}" is empty.)`;
  const notes = [
    ...(damaged === true ? ['Some bytes are not valid UTF-8 and are shown as \ufffd.'] : []),
    ...(to === total
      ? []
      : [
          `These are the lines ${from} to ${to} of ${total ?? `a file of ${bytes.toLocaleString('en')} bytes`}; ` +
            `read on with offset ${to + 1}.`,
        ]),
  ];
  return [numbered(content.split('\n'), from), ...notes.map((note) => `(${note})`)].join('\n');
}

function noSuchLine(path: string, line: number, total: number): AgentError {
  const lines = total === 1 ? '1 line' : `${total} lines`;
  return new AgentError('usage.bad-input', `"${path}" has ${lines}, so there is no line ${line}.`, {
    hint: 'Give a smaller offset.',
  });
}
