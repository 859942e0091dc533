import { createAgent } from 'skilled';
import { z } from 'zod';

await using agent = createAgent({
  models: 'openai/gpt-5.2',
  instructions: 'You answer questions about the weather.',
  tools: {
    weather: {
      description: 'Gets the weather of a city.',
      input: z.object({ city: z.string() }),
      run: ({ city }) => ({ city, degrees: 21 }),
    },
  },
});

const { text } = await agent.executePrompt('How warm is it in Bergen?');
console.log(text);
