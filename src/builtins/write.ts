import { defineSkill } from '../core/define-skill.ts';
import { zod } from '../core/load-on-use.ts';
import { notImplemented } from '../core/output.ts';

/** Writes a whole file of the workspace in one step. */
export const write = defineSkill({
  name: 'write',
  description:
    'Writes a whole text file in the workspace and makes its folders where they are missing. ' +
    'An existing file is replaced; use edit to change a part of one.',
  permission: 'Write',
  allowedSkills: [],
  input: () => {
    const { z } = zod();
    return z.strictObject({
      file_path: z.string().min(1).describe('The file, absolute or relative to the workspace.'),
      content: z.string().describe('The whole new text of the file.'),
    });
  },
  run: () => notImplemented('built-in "write"'),
});
