import { openai } from '@ai-sdk/openai';
import { tool, ToolLoopAgent } from 'ai';
import { z } from 'zod';

const agent = new ToolLoopAgent({
  model: openai('gpt-5.2'),
  instructions: 'You answer questions about the weather.',
  tools: {
    weather: tool({
      description: 'Gets the weather of a city.',
      inputSchema: z.object({ city: z.string() }),
      execute: ({ city }) => ({ city, degrees: 21 }),
    }),
  },
});

const { text } = await agent.generate({ prompt: 'How warm is it in Bergen?' });
console.log(text);
