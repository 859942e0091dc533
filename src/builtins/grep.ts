import { defineSkill } from '../core/define-skill.ts';
import { zod } from '../core/load-on-use.ts';
import { notImplemented } from '../core/output.ts';

/** Finds files of the workspace by what they hold. */
export const grep = defineSkill({
  name: 'grep',
  description:
    'Searches the files of the workspace with a regular expression and returns the files, the matching lines or ' +
    'their number. Ignored and binary files are skipped.',
  permission: 'Grep',
  readOnly: true,
  allowedSkills: [],
  input: () => {
    const { z } = zod();
    return z.strictObject({
      pattern: z.string().min(1).describe('The regular expression to look for.'),
      path: z
        .string()
        .min(1)
        .optional()
        .describe('The file or folder to search; the workspace unless given.'),
      glob: z.string().min(1).optional().describe('Search only files whose path matches, such as *.md.'),
      output_mode: z
        .enum(['files_with_matches', 'content', 'count'])
        .default('files_with_matches')
        .describe('What to return: the files, the matching lines, or the number of matches in each file.'),
      case_insensitive: z.boolean().default(false).describe('Treat upper and lower case alike.'),
      line_numbers: z.boolean().default(true).describe('Number the lines; only with output_mode content.'),
      before: z
        .int()
        .min(0)
        .optional()
        .describe('Lines to show before each match; only with output_mode content.'),
      after: z
        .int()
        .min(0)
        .optional()
        .describe('Lines to show after each match; only with output_mode content.'),
      context: z
        .int()
        .min(0)
        .optional()
        .describe('Lines to show around each match; only with output_mode content.'),
      multiline: z.boolean().default(false).describe('Let a match reach over line ends.'),
      head_limit: z.int().min(1).optional().describe('Stop after this many results.'),
    });
  },
  run: () => notImplemented('built-in "grep"'),
});
