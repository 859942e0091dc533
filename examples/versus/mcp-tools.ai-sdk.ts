import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { openai } from '@ai-sdk/openai';
import { ToolLoopAgent } from 'ai';

const board = await createMCPClient({
  transport: new Experimental_StdioMCPTransport({ command: 'node', args: ['board-server.mjs'] }),
});
const agent = new ToolLoopAgent({
  model: openai('gpt-5.2'),
  instructions: 'You answer from the notice board.',
  tools: await board.tools(),
});

const { text } = await agent.generate({ prompt: 'What is new today?' });
console.log(text);
await board.close();
