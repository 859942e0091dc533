// A skill that uses the tools of an MCP server. Its steps are written down, so it needs no model; the server is started
// in a sandbox and may read the files of the workspace, as the skill asks for.
// In a project of your own, import from 'skilled' and install the server there.
import { join } from 'node:path';
import { RecursiveSkilledAgent } from '../src/index.ts';

const workspace = join(import.meta.dirname, 'workshop');
await using agent = new RecursiveSkilledAgent({
  additionalSkillRoots: [join(workspace, 'skills')], // folders that you name yourself are trusted, with the tools they name
  only: true,
  workspace,
  embeddings: false,
  models: { model: () => undefined },
});

// Every call of a tool is a frame of its own, bounded, permitted and recorded like any other call.
const run = agent.run({ skill: 'notice-board' });
for await (const event of run.events) {
  if (event.type === 'frame.started') console.log(`${'  '.repeat(event.depth - 1)}${event.skill}`);
}
const { text, variables } = await run.result;
console.log(text);

// What the server gave is kept whole, as structured content, for every step.
console.log(JSON.stringify(variables?.['all']));

// The connection belongs to the session: the next run finds the server running.
const again = await agent.run({ skill: 'notice-board' }).result;
console.log(`Once more: ${again.status}`);
