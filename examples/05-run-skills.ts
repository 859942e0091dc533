// Runs skills that call each other, asks a person on the way, and looks at what happened.
// In a project of your own, import from 'skilled'.
import { defineSkill, foldRun, RecursiveSkilledAgent, explainRun } from '../src/index.ts';

const agent = new RecursiveSkilledAgent(); // runs are kept in memory; give a path or an address as `store` to keep them

agent.skills.register(
  defineSkill({
    name: 'stock',
    description: 'Counts a part on the shelf.',
    allowedSkills: [],
    run: (part) => ({ status: 'done', text: '', value: part === 'tube' ? 3 : 0 }),
  }),
);
agent.skills.register(
  defineSkill({
    name: 'order',
    description: 'Orders parts that are missing, after asking.',
    async run(_input, scope) {
      const missing: string[] = [];
      for (const part of ['tube', 'chain']) {
        const output = await scope.call('stock', part);
        if (output.status === 'done' && output.value === 0) missing.push(part);
      }
      await scope.call('order', null); // the same skill with the same input: refused at once, and this one goes on
      const answer = await scope.ask({ text: `Order ${missing.join(', ')}?`, options: ['yes', 'no'] });
      if (answer !== 'yes') return { status: 'done', text: 'Nothing was ordered.' };
      const number = await scope.step('send', () => 4711); // sent once, however often this function runs
      return { status: 'done', text: `Ordered ${missing.join(', ')}: number ${number}.` };
    },
  }),
);

const run = agent.run({ skill: 'order' });
const { status, question } = await run.result;
console.log(`${status}: ${question?.text ?? ''}`);

await agent.runs.answer(run.id, 'yes'); // from here or from any process with the same store
const { text } = await agent.runs.resume(run.id).result;
console.log(text);

const events = await agent.runs.events(run.id);
const { counts } = foldRun(events);
console.log(`${events.length} events, ${counts.leafCalls} leaf calls, ${counts.refusals} refusal`);
for (const { kind, text: sentence } of explainRun(events)) console.log(`${kind}: ${sentence}`);
await agent.shutdown();
