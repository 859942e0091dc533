// Asks in words and names no skill: prompts find their way, questions are answered by the next prompt, and every session
// remembers its own conversation.
// In a project of your own, import from 'skilled', leave `models` out, and set the key of a provider.
import { join } from 'node:path';
import { defineSkill, RecursiveSkilledAgent, explainRun } from '../src/index.ts';
import { createScriptedModel } from '../src/testing/index.ts';

// What models might say; the turns stand in for those that somebody has to pay.
const plan = createScriptedModel([
  { calls: [{ name: 'opening-hours', input: { input: 'Today is Saturday.' } }] },
  'Two jobs are due, and you close at one.',
  'The red one first.',
]);
const execution = createScriptedModel(['Open from 9:00 to 13:00.']);

await using agent = new RecursiveSkilledAgent({
  startDir: join(import.meta.dirname, 'workshop'), // the skills are found there
  models: { plan, execution },
  embeddings: false,
});
agent.skills.register(
  defineSkill({
    name: 'loan-bicycle',
    description: 'Lends a bicycle to a customer while theirs is in repair.',
    allowedSkills: [],
    async run(_prompt, scope) {
      const size = await scope.ask({ text: 'Which size?', options: ['small', 'large'] });
      return { status: 'done', text: `Number ${size === 'large' ? 7 : 4} stands ready.` };
    },
  }),
);

const ann = { context: { sessionId: 'ann' } };
const ben = { context: { sessionId: 'ben' } };

// One skill clearly fits, and it wants to know something. The run waits, for days if it must.
const asked = await agent.executePrompt('Can you lend me a bicycle?', ann);
console.log(`${asked.skill}, ${asked.status}: ${asked.text}`);

// What others say in their sessions is no answer to it. This prompt leads to the orchestrator of the workspace.
const briefing = await agent.executePrompt('Which jobs are due today?', ben);
console.log(`${briefing.skill}, ${briefing.status}: ${briefing.text}`);

// The next prompt of the session is the answer, and the same run goes on.
const lent = await agent.executePrompt('large', ann);
console.log(
  `${lent.skill}, ${lent.status}: ${lent.text} ${lent.runId === asked.runId ? '(the same run)' : ''}`,
);

// A follow-up means something, as the orchestrator hears what was said before.
const next = await agent.executePrompt('And which of those jobs is due first?', ben);
const lastPrompt = plan.requests.at(-1)?.messages[0]?.text ?? '';
console.log(
  `${next.skill}, ${next.status}: ${next.text} ${lastPrompt.includes('Two jobs are due') ? '(it heard)' : ''}`,
);

for (const { text } of explainRun(await agent.runs.events(briefing.runId))) console.log(text);
console.log(`sessions: ${(await agent.getActiveSessions()).join(', ')}`);
