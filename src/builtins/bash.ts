import { defineSkill } from '../core/define-skill.ts';
import { zod } from '../core/load-on-use.ts';
import { notImplemented } from '../core/output.ts';

/** Runs a shell command in the sandbox of the calling skill. */
export const bash = defineSkill({
  name: 'bash',
  description:
    'Runs a shell command in the workspace, inside the sandbox, and returns its output and exit code. ' +
    'Use read, write, edit, glob and grep for files where they suffice.',
  permission: 'Bash',
  allowedSkills: [],
  input: () => {
    const { z } = zod();
    return z.strictObject({
      command: z.string().min(1).describe('The command, as typed at a shell prompt.'),
      timeout_ms: z
        .int()
        .min(1)
        .max(600_000)
        .default(120_000)
        .describe('Stop the command after this many milliseconds.'),
      description: z
        .string()
        .optional()
        .describe('What the command does, in a few words, for whoever approves it.'),
    });
  },
  run: () => notImplemented('built-in "bash"'),
});
