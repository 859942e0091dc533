import { defineSkill, zod, renameEdit } from '../core/index.ts';
import { isMeantBy, makeEdit, planEdit, protectionOf, realParts, workspaceOnly } from '../files/index.ts';

/** Replaces literal text in a workspace file. */
export const edit = defineSkill({
  name: 'edit',
  description:
    'Replaces text in a file of the workspace. The old text is matched exactly, never as a pattern, ' +
    'and must occur exactly once unless replace_all is set.',
  permission: 'Edit',
  effect: 'It changes a file.',
  sequential: true,
  allowedSkills: [],
  renameInput: renameEdit,
  input: () => {
    const { z } = zod();
    return z.strictObject({
      file_path: z.string().min(1).describe('The file, absolute or relative to the workspace.'),
      old_string: z.string().min(1).describe('The text to replace, exactly as it is in the file.'),
      new_string: z.string().describe('The replacement text; empty to remove the old text.'),
      replace_all: z.boolean().default(false).describe('Replace every occurrence instead of exactly one.'),
    });
  },
  touches: ({ file_path }) => [file_path],
  matches: (spec, { file_path }, workspace) => isMeantBy(spec, file_path, workspace),
  parts: (input, workspace) =>
    realParts(input.file_path, workspace, (file_path) => ({ ...input, file_path })),
  protects: ({ file_path }, workspace) => protectionOf(file_path, workspace),
  alwaysAsks: ({ file_path }, workspace) => protectionOf(file_path, workspace)?.reason,
  async run({ file_path, old_string, new_string, replace_all }, scope) {
    const area = workspaceOnly(scope.files.workspace);
    const change = { before: old_string, after: new_string, everywhere: replace_all };
    // Record the planned edit before applying it, so that a resumed run does not apply it twice.
    const plan = await scope.step('plan', () => planEdit(area, file_path, change));
    await scope.step('edit', async () => {
      await makeEdit(area, file_path, change, plan, { isApproved: scope.request.isApproved });
      return null;
    });
    const { shown: path, count, lines, excerpt } = plan;
    const times = count === 1 ? 'once' : `${count} times`;
    return {
      status: 'done',
      text: `Replaced ${times} in "${path}". It now reads:\n${excerpt}`,
      value: { path, replaced: count, lines },
    };
  },
});
