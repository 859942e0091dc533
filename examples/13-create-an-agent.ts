// An agent in one call: instructions, a function as a tool, and a function that needs approval. The text of the answer is
// printed as the model writes it.
// In a project of your own, import from 'skilled', leave `models` out, and set the key of a provider.
import { createAgent } from '../src/index.ts';
import { createScriptedModel } from '../src/testing/index.ts';
import { z } from 'zod';

// What a model might say; the turns stand in for those that somebody has to pay.
const models = createScriptedModel([
  { text: 'I look it up.', calls: [{ name: 'in-stock', input: { part: 'chain' } }] },
  { text: 'Two are left. I order more.', calls: [{ name: 'order', input: { part: 'chain', count: 10 } }] },
  'Ten chains are ordered.',
]);

await using agent = createAgent({
  models,
  embeddings: false,
  instructions: 'You keep the stock of a bicycle workshop.',
  tools: {
    inStock: {
      description: 'Returns how many pieces of a part are in stock.',
      input: z.object({ part: z.string() }),
      readOnly: true,
      run: ({ part }) => (part === 'chain' ? 2 : 0),
    },
    order: {
      description: 'Orders parts.',
      input: z.object({ part: z.string(), count: z.number() }),
      needsApproval: ({ count }) => count > 5,
      run: ({ part, count }) => `Ordered ${count} × ${part}.`,
    },
  },
});

const run = agent.stream('Make sure that we have ten chains.');
for await (const text of run.textStream) process.stdout.write(text);
console.log(`\n${(await run.result).status}`);

// A person decides. The run continues where it stopped, also in another process with the same store.
for (const { runId, id, asks } of await agent.runs.pending()) {
  console.log('asks:', asks.skill, JSON.stringify(asks.input));
  await agent.runs.approve(runId, id, { allow: 'once' });
  console.log((await agent.runs.resume(runId).result).text);
}
