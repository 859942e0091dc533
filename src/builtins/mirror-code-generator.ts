import { defineSkill } from '../core/define-skill.ts';
import { zod } from '../core/load-on-use.ts';
import { notImplemented } from '../core/output.ts';

/** Generates the code that the specs of a skill folder describe. */
export const mirrorCodeGenerator = defineSkill({
  name: 'mirror-code-generator',
  description:
    'Generates the source files of a skill folder from its specs: each Markdown file under specs/ becomes the file ' +
    'of the same path under src/. Only what is out of date is generated, checked and then put in place.',
  permission: 'MirrorCodeGenerator',
  disableModelInvocation: true,
  input: () => {
    const { z } = zod();
    return z.strictObject({
      directory: z
        .string()
        .min(1)
        .describe('The folder of the skill, absolute or relative to the workspace.'),
    });
  },
  run: () => notImplemented('built-in "mirror-code-generator"'),
});
