// The AI SDK keeps nothing. The program saves the messages after each step, and loads them at the start. If it is
// killed after a tool ran, but before the step was saved, the tool runs again.
import { openai } from '@ai-sdk/openai';
import { tool, ToolLoopAgent, type ModelMessage } from 'ai';
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

const agent = new ToolLoopAgent({
  model: openai('gpt-5.2'),
  instructions: 'You make payments.',
  tools: {
    pay: tool({
      description: 'Pays a person.',
      inputSchema: z.object({ to: z.string() }),
      execute: ({ to }) => {
        appendFileSync('payments.txt', `${to}\n`);
        return 'Paid.';
      },
    }),
  },
});

const file = 'messages.json';
const messages = existsSync(file)
  ? (JSON.parse(readFileSync(file, 'utf8')) as ModelMessage[])
  : [{ role: 'user' as const, content: 'Pay Ann, then Ben.' }];
const { text } = await agent.generate({
  messages,
  onStepEnd: ({ response }) => {
    writeFileSync(file, JSON.stringify([...messages, ...response.messages]));
  },
});
rmSync(file);
console.log(text);
