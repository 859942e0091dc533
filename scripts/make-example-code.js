// Builds the code-skill of the example workspace that is made of specs, with its own source files as what the model
// answers: run it after a change of its specs, its contract or the generator.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { RecursiveSkilledAgent } from '../src/index.ts';
import { createScriptedModel } from '../src/testing/index.ts';

const workspace = join(import.meta.dirname, '..', 'examples', 'workspace');
const bundle = join(workspace, 'skills', 'office', 'invoice-number');

const code = createScriptedModel(({ messages }) => {
  const asked = /^Write (.+)\.$/m.exec(messages[0]?.text ?? '')?.[1]?.split(', ') ?? [];
  const files = asked.map(
    (path) => `## file: ${path}\n\`\`\`ts\n${readFileSync(join(bundle, path), 'utf8')}\`\`\`\n`,
  );
  return files.join('\n');
});

await using agent = new RecursiveSkilledAgent({
  startDir: workspace,
  searchUpwards: false,
  models: { code },
  embeddings: false,
  policy: { decide: () => ({ decision: 'allow' }) },
});
const { status, text, error } = await agent.run({
  skill: 'invoice-number',
  through: 'build',
  input: { force: true },
}).result;
rmSync(join(bundle, '..', '.generation'), { recursive: true, force: true });
process.stdout.write(`${status}: ${text}${error === undefined ? '' : ` ${JSON.stringify(error.details)}`}\n`);
process.exitCode = status === 'done' ? 0 : 1;
