import { defineSkill } from '../core/define-skill.ts';
import type { Json } from '../core/json.ts';
import { zod } from '../core/package-files.ts';
import { optional } from '../core/collections.ts';

/** Runs a plan that a person wrote; its commands are the skills that there are. */
export const runSopSkill = defineSkill({
  name: 'run-sop',
  description:
    'Runs a plan written in SOP: each line binds the result of a skill to a variable, and lines that do not need each ' +
    'other run at the same time. For people and hosts; no model chooses it.',
  permission: 'RunSop',
  readOnly: true, // by itself; each of its steps is permitted on its own
  disableModelInvocation: true,
  input: () => {
    const { z } = zod();
    return z.strictObject({
      script: z.string().describe('The plan.'),
      input: z.json().optional().describe('The value of $input.'),
      maxCommands: z.int().min(1).max(100_000).optional().describe('Executions at most; 100 unless given.'),
      name: z.string().optional().describe('What the plan is called where its runs are listed.'),
    });
  },
  async run({ script, input, maxCommands }, scope) {
    const [{ runSopSession }, { sopOutput }] = await Promise.all([
      import('../engines/sop.ts'),
      import('../engines/sop/session/sop-output.ts'),
    ]);
    const limits = optional('commands', maxCommands);
    return sopOutput(
      await runSopSession(scope, { script, isTrusted: true, limits, ...optional('input', input as Json) }),
    );
  },
});
