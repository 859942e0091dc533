import { defineSkill } from '../core/define-skill.ts';
import { zod } from '../core/load-on-use.ts';
import { notImplemented } from '../core/output.ts';

/** Searches the skills that a catalog had no room for. */
export const findSkills = defineSkill({
  name: 'find-skills',
  description:
    'Searches all skills that may be called, also those that the catalog left out, and returns names and ' +
    'descriptions, best match first. Use it when no listed skill fits the task.',
  permission: 'FindSkills',
  readOnly: true,
  allowedSkills: [],
  input: () => {
    const { z } = zod();
    return z.strictObject({
      query: z.string().min(1).describe('What the skill should be able to do, in a few words.'),
      limit: z.int().min(1).max(50).default(10).describe('The most skills to return.'),
    });
  },
  run: () => notImplemented('built-in "find-skills"'),
});
