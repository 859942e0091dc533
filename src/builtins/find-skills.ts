import { defineSkill } from '../core/define-skill.ts';
import { zod } from '../core/package-files.ts';

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
  async run({ query, limit }, scope) {
    const found = (await scope.find(query, limit)).map(({ name, description }) => ({ name, description }));
    const lines = found.map(({ name, description }) => `${name}: ${description.replace(/\s+/g, ' ').trim()}`);
    const none = `No skill fits "${query}". Search with other words, or do without one.`;
    return { status: 'done', text: lines.length === 0 ? none : lines.join('\n'), value: found };
  },
});
