import { createAgent } from 'skilled';
import { z } from 'zod';

await using agent = createAgent({
  models: 'openai/gpt-5.2',
  instructions: 'You read the orders of a bakery.',
});

const order = await agent.session().prompt('Two rye loaves for Ann, please.', {
  result: z.object({ customer: z.string(), loaves: z.number() }),
});
console.log(order.customer, order.loaves * 4.2);
