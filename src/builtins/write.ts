import { defineSkill, zod, pathNames, renamesInput } from '../core/index.ts';
import { isMeantBy, protectionOf, realParts, workspaceOnly, writeFile } from '../files/index.ts';

/** Writes a complete file in the workspace as a single step. */
export const write = defineSkill({
  name: 'write',
  description:
    'Writes a complete text file in the workspace and creates missing folders. ' +
    'An existing file is replaced; use edit to change part of one.',
  permission: 'Write',
  effect: 'It writes a file.',
  sequential: true,
  allowedSkills: [],
  renameInput: renamesInput({ ...pathNames, contents: 'content', file_text: 'content' }),
  input: () => {
    const { z } = zod();
    return z.strictObject({
      file_path: z.string().min(1).describe('The file, absolute or relative to the workspace.'),
      content: z.string().describe('The complete new text of the file.'),
    });
  },
  touches: ({ file_path }) => [file_path],
  matches: (spec, { file_path }, workspace) => isMeantBy(spec, file_path, workspace),
  parts: (input, workspace) =>
    realParts(input.file_path, workspace, (file_path) => ({ ...input, file_path })),
  protects: ({ file_path }, workspace) => protectionOf(file_path, workspace),
  alwaysAsks: ({ file_path }, workspace) => protectionOf(file_path, workspace)?.reason,
  async run({ file_path, content }, scope) {
    const area = workspaceOnly(scope.files.workspace);
    const approved = { isApproved: scope.request.isApproved };
    const bytes = Buffer.from(content, 'utf8');
    const value = await scope.step('write', async () => {
      const { shown, isNew } = await writeFile(area, file_path, bytes, approved);
      return { path: shown, created: isNew, bytes: bytes.length };
    });
    const verb = value.created ? 'Created' : 'Replaced';
    const size = value.bytes === 1 ? '1 byte' : `${value.bytes.toLocaleString('en')} bytes`;
    return { status: 'done', text: `${verb} "${value.path}", ${size}.`, value };
  },
});
