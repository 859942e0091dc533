import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { codeSkillFiles } from '../../../test/support/code-skill-stage.ts';
import { runProgram } from '../../../test/support/kernel.ts';
import { tree } from '../../../test/support/tree.ts';

const code = `export async function action(input: string, scope: any) {
  const word = await scope.model('A word?');
  const first = await scope.call('work', word);
  const both = await Promise.all(['a', 'b'].map((name) => scope.call('work', name)));
  return [word, first.text, ...both.map(({ text }: any) => text)].join(' ');
}`;

/** Returns a program that runs the skill or resumes its run, and kills itself in the named effect. */
function program(folder: string, deadly: string): string {
  return `
import { appendFileSync } from 'node:fs';
const happened = (what) => {
  appendFileSync(${JSON.stringify(`${folder}/effects`)}, what + ' ');
  if (what === ${JSON.stringify(deadly)}) process.kill(process.pid, 'SIGKILL');
};
const models = createScriptedModel(() => { happened('model'); return 'lamp'; });
const work = { allowedSkills: [], run: (input) => { happened(input); return done('did ' + input); } };
const agent = agentWith({ work }, {
  startDir: ${JSON.stringify(folder)}, searchUpwards: false, store: ${JSON.stringify(`${folder}/runs.db`)},
  policy: { decide: () => ({ decision: 'allow' }) }, models,
});
const [known] = (await agent.runs.list()).filter(({ skill, prepares }) => skill === 'tells' && prepares === undefined);
const handle = known === undefined
  ? agent.run({ skill: 'tells', input: null })
  : agent.runs.resume(known.id, { takeOver: true });
console.log((await handle.result).text);
await agent.shutdown();`;
}

test('a code skill whose host dies runs again from its start, and gets the same answers', async () => {
  using files = tree(codeSkillFiles({ tells: { code } }));
  const died = await runProgram(program(files.path, 'b'));
  assert.equal(died.exitCode, null, died.output);
  const { exitCode, output } = await runProgram(program(files.path, ''));
  assert.deepEqual([exitCode, output.trim()], [0, 'lamp did lamp did a did b']);
  const effects = readFileSync(files.at('effects'), 'utf8').trim().split(' ');
  assert.deepEqual(effects.slice(0, 2), ['model', 'lamp']);
  assert.equal(effects.lastIndexOf('lamp'), 1, 'what had ended is not done again');
  assert.deepEqual([...new Set(effects)].sort(), ['a', 'b', 'lamp', 'model']);
});
