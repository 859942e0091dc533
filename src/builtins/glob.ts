import { defineSkill } from '../core/define-skill.ts';
import { zod } from '../core/load-on-use.ts';
import { notImplemented } from '../core/output.ts';

/** Finds files of the workspace by name. */
export const glob = defineSkill({
  name: 'glob',
  description:
    'Finds files of the workspace whose path matches a pattern such as **/*.ts, newest first. ' +
    'Files that git ignores are skipped.',
  permission: 'Glob',
  readOnly: true,
  allowedSkills: [],
  input: () => {
    const { z } = zod();
    return z.strictObject({
      pattern: z.string().min(1).describe('The pattern, relative to path: *, **, ? and {a,b}.'),
      path: z.string().min(1).optional().describe('The folder to look in; the workspace unless given.'),
    });
  },
  run: () => notImplemented('built-in "glob"'),
});
