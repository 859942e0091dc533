import { createAgent } from 'skilled';
import { appendFileSync } from 'node:fs';
import { z } from 'zod';

await using agent = createAgent({
  models: 'openai/gpt-5.2',
  instructions: 'You make payments.',
  store: 'runs.db',
  tools: {
    pay: {
      description: 'Pays a person.',
      input: z.object({ to: z.string() }),
      run: ({ to }) => {
        appendFileSync('payments.txt', `${to}\n`);
        return 'Paid.';
      },
    },
  },
});

const [open] = await agent.runs.list({ status: ['interrupted'] });
const run = open === undefined ? agent.stream('Pay Ann, then Ben.') : agent.runs.resume(open.id);
console.log((await run.result).text);
