import { createAgent } from 'skilled';
import { z } from 'zod';

await using agent = createAgent({
  models: 'openai/gpt-5.2',
  instructions: 'You handle refunds.',
  tools: {
    refund: {
      description: 'Refunds an amount in euros.',
      input: z.object({ amount: z.number() }),
      needsApproval: ({ amount }) => amount > 100,
      run: ({ amount }) => `Refunded ${amount} euros.`,
    },
  },
});

let result = await agent.executePrompt('Refund 250 euros.');
for (const { runId, id, asks } of await agent.runs.pending()) {
  console.log('asks', asks.skill, asks.input);
  await agent.runs.approve(runId, id, { allow: 'once' });
  result = await agent.runs.resume(runId).result;
}
console.log(result.text);
