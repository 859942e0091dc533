import { openai } from '@ai-sdk/openai';
import { generateText, Output } from 'ai';
import { z } from 'zod';

const { output } = await generateText({
  model: openai('gpt-5.2'),
  instructions: 'You read the orders of a bakery.',
  prompt: 'Two rye loaves for Ann, please.',
  output: Output.object({ schema: z.object({ customer: z.string(), loaves: z.number() }) }),
});
console.log(output.customer, output.loaves * 4.2);
