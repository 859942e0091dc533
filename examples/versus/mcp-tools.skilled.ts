import { createAgent } from 'skilled';

await using agent = createAgent({
  models: 'openai/gpt-5.2',
  instructions: 'You answer from the notice board.',
  mcpServers: { board: { command: 'node', args: ['board-server.mjs'] } },
});

const { text } = await agent.executePrompt('What is new today?');
console.log(text);
