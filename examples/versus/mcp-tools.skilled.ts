import { createAgent } from 'skilled';

await using agent = createAgent({
  models: 'openai/gpt-5.2',
  instructions: 'You answer from the notice board.',
  workspace: '.',
  permissions: { allow: ['mcp__notices__news'] },
  mcpServers: { notices: { command: 'node', args: ['board-server.mjs'], workspace: 'read' } },
});

const { text } = await agent.executePrompt('What is new today?');
console.log(text);
