import { createMCPClient } from '@ai-sdk/mcp';
import { StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { openai } from '@ai-sdk/openai';
import { ToolLoopAgent } from 'ai';

const notices = await createMCPClient({
  transport: new StdioMCPTransport({ command: 'node', args: ['board-server.mjs'] }),
});
const agent = new ToolLoopAgent({
  model: openai('gpt-5.2'),
  instructions: 'You answer from the notice notices.',
  tools: await notices.tools(),
});

const { text } = await agent.generate({ prompt: 'What is new today?' });
console.log(text);
await notices.close();
