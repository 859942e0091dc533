// Builds the code skills of the example workshop that have specs. Their existing source files serve as the
// model's answers. Run this script after changing the specs, the contracts or the generator.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { RecursiveSkilledAgent } from '../src/index.ts';
import { createScriptedModel } from '../src/testing/index.ts';

const workshop = join(import.meta.dirname, '..', 'examples', 'workshop');
const office = join(workshop, 'skills', 'office');

for (const skill of ['invoice-number', 'report-sheet']) await build(skill);
rmSync(join(office, '.generation'), { recursive: true, force: true });

async function build(skill) {
  const code = createScriptedModel(({ messages }) => {
    const asked = /^Write (.+)\.$/m.exec(messages[0]?.text ?? '')?.[1]?.split(', ') ?? [];
    return asked.map((path) => fileBlock(path, readFileSync(join(office, skill, path), 'utf8'))).join('\n');
  });
  await using agent = new RecursiveSkilledAgent({
    startDir: workshop,
    searchUpwards: false,
    models: { code },
    embeddings: false,
    policy: { decide: () => ({ decision: 'allow' }) },
  });
  const { status, text, error } = await agent.run({ skill, mode: 'build', input: { force: true } }).result;
  process.stdout.write(
    `${status}: ${text}${error === undefined ? '' : ` ${JSON.stringify(error.details)}`}\n`,
  );
  if (status !== 'done') process.exitCode = 1;
}

function fileBlock(path, content) {
  return `## file: ${path}\n\`\`\`ts\n${content}\`\`\`\n`;
}
