import { defineSkill } from '../core/define-skill.ts';
import { zod } from '../core/load-on-use.ts';
import { notImplemented } from '../core/output.ts';

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
      limit: z.int().min(1).default(2000).describe('The most lines to return.'),
    });
  },
  run: () => notImplemented('built-in "read"'),
});
