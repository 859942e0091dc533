import { asText } from '../core/json.ts';
import { defineSkill } from '../core/define-skill.ts';
import { zod } from '../core/package-files.ts';
import { optional } from '../core/collections.ts';

/** Asks the person behind the session and waits for the answer. */
export const askUser = defineSkill({
  name: 'ask-user',
  description:
    'Asks the user one question and waits for the answer. ' +
    'Use it when a decision or a fact is missing that only the user can give.',
  permission: 'AskUser',
  readOnly: true,
  allowedSkills: [],
  input: () => {
    const { z } = zod();
    return z.strictObject({
      question: z.string().min(1).describe('The question, complete in itself.'),
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
