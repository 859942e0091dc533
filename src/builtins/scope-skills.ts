import { asText, defineSkill, optional, zod, type Json } from '../core/index.ts';
import { sopOutput } from '../engines/sop/session/session.ts';

/** Asks the session's user a question and waits for the answer. */
export const askUser = defineSkill({
  name: 'ask-user',
  description:
    'Asks the user one question and waits for the answer. ' +
    'Use it when you need a decision or a fact that only the user can give.',
  permission: 'AskUser',
  readOnly: true,
  allowedSkills: [],
  input: () => {
    const { z } = zod();
    return z.strictObject({
      question: z.string().min(1).describe('The question; it must be clear on its own.'),
      options: z
        .array(z.string().min(1))
        .min(1)
        .optional()
        .describe('Answers to choose from; the user may still answer freely.'),
    });
  },
  async run({ question, options }, scope) {
    const answer = await scope.ask({ text: question, ...optional('options', options) });
    return {
      status: 'done',
      text: asText(answer),
      value: answer,
    };
  },
});

/** Searches all callable skills, including those omitted from the catalog. */
export const findSkills = defineSkill({
  name: 'find-skills',
  description:
    'Searches all skills that may be called, including those omitted from the catalog, and returns names and ' +
    'descriptions, best match first. Use it when no listed skill fits the task.',
  permission: 'FindSkills',
  readOnly: true,
  allowedSkills: [],
  input: () => {
    const { z } = zod();
    return z.strictObject({
      query: z.string().min(1).describe('What the skill should do, in a few words.'),
      limit: z.int().min(1).max(50).default(10).describe('Maximum number of skills to return.'),
    });
  },
  async run({ query, limit }, scope) {
    const found = (await scope.skills.find(query, limit)).map(({ name, description }) => ({
      name,
      description,
    }));
    const lines = found.map(({ name, description }) => `${name}: ${description.replace(/\s+/g, ' ').trim()}`);
    const none = `No skill fits "${query}". Try other words, or do the task without a skill.`;
    return { status: 'done', text: lines.length === 0 ? none : lines.join('\n'), value: found };
  },
});

/** Runs a plan that a user has written. The commands in the plan are the available skills. */
export const runSopSkill = defineSkill({
  name: 'run-sop',
  description:
    'Runs a plan written in SOP: each line binds the result of a skill to a variable, and lines that do not depend on ' +
    'each other run at the same time. For people and hosts; models cannot choose it.',
  permission: 'RunSop',
  readOnly: true, // Each step of the plan needs its own permission.
  disableModelInvocation: true,
  input: () => {
    const { z } = zod();
    return z.strictObject({
      script: z.string().describe('The plan.'),
      input: z.json().optional().describe('The value of $input.'),
      maxCommands: z
        .int()
        .min(1)
        .max(100_000)
        .optional()
        .describe('Maximum number of commands to execute. Default: 100.'),
      name: z.string().optional().describe('The name to show for the plan in lists of runs.'),
    });
  },
  async run({ script, input, maxCommands }, scope) {
    const { runSopSession } = await import('../engines/sop/session/run-session.ts');
    const limits = optional('commands', maxCommands);
    return sopOutput(
      await runSopSession(scope, { script, isTrusted: true, limits, ...optional('input', input as Json) }),
    );
  },
});
