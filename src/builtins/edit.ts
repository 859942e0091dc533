import { defineSkill } from '../core/define-skill.ts';
import { zod } from '../core/load-on-use.ts';
import { notImplemented } from '../core/output.ts';

/** Replaces literal text in a file of the workspace. */
export const edit = defineSkill({
  name: 'edit',
  description:
    'Replaces text in a file of the workspace. The old text is compared letter by letter, never as a pattern, ' +
    'and must occur exactly once unless replace_all is set.',
  permission: 'Edit',
  allowedSkills: [],
  input: () => {
    const { z } = zod();
    return z.strictObject({
      file_path: z.string().min(1).describe('The file, absolute or relative to the workspace.'),
      old_string: z.string().min(1).describe('The text to replace, exactly as it stands in the file.'),
      new_string: z.string().describe('The text to put in its place; empty to remove it.'),
      replace_all: z.boolean().default(false).describe('Replace every occurrence instead of the only one.'),
    });
  },
  run: () => notImplemented('built-in "edit"'),
});
