import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineSkill, RecursiveSkilledAgent } from '../src/index.ts';
import { findSandboxSupport } from '../src/sandboxes/sandbox-support.ts';
import { timingOf, type Row } from './measure.ts';

const calls = 1000;

const descriptor = `# echo

## Description

Gives back what it gets.

## Input Format

\`\`\`json
{ "type": "object", "properties": { "n": { "type": "number" } }, "required": ["n"] }
\`\`\`
`;

/**
 * E3: compares complete calls of a code skill, including the permission check and the log, with calls of a
 * function in this process.
 */
export async function codeCalls(folder: string): Promise<readonly Row[]> {
  if ((await findSandboxSupport()).kind === 'none') return [];
  const root = join(folder, 'code-calls');
  mkdirSync(join(root, 'echo', 'src'), { recursive: true });
  writeFileSync(join(root, 'echo', 'cskill.md'), descriptor);
  writeFileSync(join(root, 'echo', 'src', 'index.js'), 'export const action = (input) => input;\n');
  const limits = { frames: 4 * calls, leafCalls: 4 * calls };
  const models = { model: () => undefined };
  await using agent = new RecursiveSkilledAgent({
    additionalSkillRoots: [root],
    only: true,
    embeddings: false,
    models,
    limits,
  });
  const times: Record<string, number[]> = { echo: [], local: [] };
  agent.skills.register(
    defineSkill({
      name: 'local',
      description: 'Gives back what it gets.',
      run: () => ({ status: 'done', text: '' }),
    }),
  );
  agent.skills.register(
    defineSkill({
      name: 'caller',
      description: 'Calls both in turn.',
      async run(_input, scope) {
        for (let n = 0; n < calls; n++) {
          for (const [name, own] of Object.entries(times)) {
            const start = performance.now();
            const output = await scope.call(name, { n });
            own.push(performance.now() - start);
            if (output.status === 'failed') throw new Error(output.text);
          }
        }
        return { status: 'done', text: '' };
      },
    }),
  );
  const result = await agent.run({ skill: 'caller' }).result;
  if (!result.ok) throw new Error(result.text);
  const [whole, local] = ['echo', 'local'].map((name) => timingOf((times[name] ?? []).slice(10)));
  if (whole === undefined || local === undefined) return [];
  const share = whole.median - local.median;
  return [
    {
      id: 'E3',
      what: 'a whole call of a code skill, less that of a function in this process',
      figure: `${share.toFixed(2)} ms (${whole.median.toFixed(2)} - ${local.median.toFixed(2)})`,
      target: '≤ 1 ms',
      met: share <= 1,
    },
  ];
}
