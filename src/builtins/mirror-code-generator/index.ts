import { isAbsolute, resolve } from 'node:path';
import { defineSkill, zod } from '../../core/index.ts';

/** The skill that generates code from specs. To keep startup fast, it loads the generator on first use. */
export const mirrorCodeGenerator = defineSkill({
  name: 'mirror-code-generator',
  description:
    'Generates the source files of a skill folder from its specs: each Markdown file under specs/ becomes the file ' +
    'with the same path under src/. Only outdated files are generated, then checked and installed.',
  permission: 'MirrorCodeGenerator',
  effect: 'A model writes the source files of a skill; they are tested and then replace the old ones.',
  runsOwnCode: true,
  disableModelInvocation: true,
  allowedSkills: [],
  isOwn: ({ directory }, callerDir) => isAbsolute(directory) && resolve(directory) === callerDir,
  input: () => {
    const { z } = zod();
    return z.strictObject({
      directory: z.string().min(1).describe('The skill folder, absolute or relative to the workspace.'),
      contract: z
        .string()
        .optional()
        .describe(
          'What the skill promises its callers, as text. Default: the text used for the last generation.',
        ),
      exports: z
        .array(z.string().regex(/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u))
        .default([])
        .describe(
          'The names of the functions that src/index.* must export. If entry is set, that file must export them instead.',
        ),
      entry: z
        .string()
        .min(1)
        .optional()
        .describe('The file under src/ that must export the functions, such as rules.ts. Default: index.*.'),
      specs: z
        .record(z.string().min(1), z.string().max(1_000_000))
        .optional()
        .describe(
          'Specs that are not in files, by their paths under specs/, such as rules.ts.md; each replaces a file of that path.',
        ),
      force: z
        .boolean()
        .default(false)
        .describe('Regenerate every file, even if it is up to date, failed before or was changed by hand.'),
    });
  },
  async run({ directory, ...order }, scope) {
    // Load the generator only here: every command loads this file, but few commands generate code.
    const { findDirectory, generateCode } = await import('./generate-code.ts');
    const dir = findDirectory(directory, scope);
    return generateCode(scope, { dir, ...order });
  },
});
