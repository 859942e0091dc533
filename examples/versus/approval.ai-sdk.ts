import { openai } from '@ai-sdk/openai';
import { tool, ToolLoopAgent, type ModelMessage } from 'ai';
import { z } from 'zod';

const agent = new ToolLoopAgent({
  model: openai('gpt-5.2'),
  instructions: 'You handle refunds.',
  tools: {
    refund: tool({
      description: 'Refunds an amount in euros.',
      inputSchema: z.object({ amount: z.number() }),
      execute: ({ amount }) => `Refunded ${amount} euros.`,
    }),
  },
  toolApproval: { refund: ({ amount }) => (amount > 100 ? 'user-approval' : 'approved') },
});

const messages: ModelMessage[] = [{ role: 'user', content: 'Refund 250 euros.' }];
let result = await agent.generate({ messages });
for (const part of result.content) {
  if (part.type !== 'tool-approval-request') continue;
  console.log('asks', part.toolCall.toolName, part.toolCall.input);
  const content = [{ type: 'tool-approval-response' as const, approvalId: part.approvalId, approved: true }];
  messages.push(...result.finalStep.response.messages, { role: 'tool', content });
  result = await agent.generate({ messages });
}
console.log(result.text);
