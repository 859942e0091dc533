import { defineSkill, type DefinedSkill } from '../../src/core/define-skill.ts';
import type { Json } from '../../src/core/json.ts';
import { loopOutput, type LoopEnd } from '../../src/engines/loop/end.ts';
import { runLoop } from '../../src/engines/loop/run-loop.ts';
import type { Output } from '../../src/core/run.ts';
import { perform } from './worker-skills.ts';

/** The system prompt by which the requests of the inner loop are recognised. */
export const systemPrompt = 'You run errands.';

/** A loop with built-in skills, an effect and an inner loop. Its value is the whole conversation. */
export function thinkingSkills(effects: string): readonly DefinedSkill[] {
  return [
    defineSkill<string>({
      name: 'ponder',
      description: 'Ponders a question.',
      allowedSkills: ['read', 'glob', 'work', 'errand'],
      run: async (prompt, scope) => withConversation(await runLoop(scope, { prompt })),
    }),
    defineSkill<string>({
      name: 'errand',
      description: 'Runs an errand.',
      allowedSkills: ['work'],
      run: async (prompt, scope) => withConversation(await runLoop(scope, { prompt, system: systemPrompt })),
    }),
    defineSkill<string>({
      name: 'work',
      description: 'Has an effect.',
      allowedSkills: [],
      async run(name, scope) {
        await scope.step('work', (key) => {
          perform(effects, name, key);
          return true;
        });
        return { status: 'done', text: `worked on ${name}` };
      },
    }),
  ];
}

function withConversation(end: LoopEnd): Output {
  const output = loopOutput(end);
  return output.status === 'done' ? { ...output, value: end.messages as unknown as Json } : output;
}
