import { isAbsolute, resolve } from 'node:path';
import { defineSkill, zod } from '../../core/index.ts';

/** Generates the code that the specs of a skill folder describe, and puts it in place once it passed its checks. */
export const mirrorCodeGenerator = defineSkill({
  name: 'mirror-code-generator',
  description:
    'Generates the source files of a skill folder from its specs: each Markdown file under specs/ becomes the file ' +
    'of the same path under src/. Only what is out of date is generated, checked and then put in place.',
  permission: 'MirrorCodeGenerator',
  effect:
    'It has a model write the source files of a skill, tries them out and puts them in place of the old ones.',
  runsOwnCode: true,
  disableModelInvocation: true,
  allowedSkills: [],
  isOwn: ({ directory }, callerDir) => isAbsolute(directory) && resolve(directory) === callerDir,
  input: () => {
    const { z } = zod();
    return z.strictObject({
      directory: z
        .string()
        .min(1)
        .describe('The folder of the skill, absolute or relative to the workspace.'),
      contract: z
        .string()
        .optional()
        .describe('What the skill promises its callers, in words; that of the last time unless given.'),
      exports: z
        .array(z.string().regex(/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u))
        .default([])
        .describe(
          'The names of the functions that src/index.* must export, or the entry where one is named.',
        ),
      entry: z
        .string()
        .min(1)
        .optional()
        .describe('The file under src/ that must export them, as rules.ts; index.* unless given.'),
      specs: z
        .record(z.string().min(1), z.string().max(1_000_000))
        .optional()
        .describe(
          'Specs that lie in no file, by their paths under specs/, as rules.ts.md; each stands in for a file of its path.',
        ),
      force: z
        .boolean()
        .default(false)
        .describe('Generate everything anew, also what is up to date, failed before or was changed by hand.'),
    });
  },
  async run({ directory, ...order }, scope) {
    // Loaded when code is generated, which is rare: every command reads this file.
    const { findDirectory, generateCode } = await import('./generate-code.ts');
    const dir = findDirectory(directory, scope);
    return generateCode(scope, { dir, ...order });
  },
});
