// Lets a skill think: a loop that reads the files of a folder with the built-in skills.
// In a project of your own, import from 'skilled', leave `models` out, and set the key of a provider.
import { join } from 'node:path';
import { defineSkill, loopOutput, RecursiveSkilledAgent, runLoop } from '../src/index.ts';
import { createScriptedModel } from '../src/testing/index.ts';

// What a model might do; the turns stand in for one that nobody has to pay.
const model = createScriptedModel([
  { calls: [{ name: 'glob', input: { pattern: '**/tskill.md' } }] },
  { calls: [{ name: 'grep', input: { pattern: 'Table Purpose', output_mode: 'count' } }] },
  'One table is described.',
]);

await using agent = new RecursiveSkilledAgent({
  startDir: join(import.meta.dirname, 'workshop'),
  models: model, // one for all tiers
});
agent.skills.register(
  defineSkill({
    name: 'research',
    description: 'Answers a question from the files of the workspace.',
    allowedSkills: ['glob', 'grep', 'read'],
    async run(question, scope) {
      const end = await runLoop(scope, {
        system: 'Answer from the files.',
        prompt: JSON.stringify(question),
      });
      return loopOutput(end);
    },
  }),
);

const run = agent.run({ skill: 'research', input: 'How many tables are there?' });
for await (const event of run.events) {
  if (event.type === 'frame.started') console.log(`${'  '.repeat(event.depth - 1)}${event.skill}`);
}
const { text, usage } = await run.result;
console.log(text);
console.log(usage.outputTokens > 0 ? 'The tokens are counted.' : '');
