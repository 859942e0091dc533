import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { codeSkillStage } from '../../../test/support/code-skill-stage.ts';
import { codeOf } from '../../../test/support/kernel.ts';

describe('a module of Achilles', () => {
  const modules: Readonly<Record<string, string>> = {
    destructures:
      'export async function action({ promptText, llmAgent }) { return `${promptText} ${llmAgent}`; }',
    arrow: 'export const action = async ({ context = {}, promptText }) => `${promptText} ${context.a}`;',
    reads: 'export function action(context) { return `${context.promptText} ${typeof context.x}`; }',
    later:
      'export function action(args) {\n  const { promptText } = args;\n  return `${promptText} undefined`;\n}',
  };
  const others: Readonly<Record<string, string>> = {
    named: 'export const action = (promptText) => `${promptText} as it is`;',
    parses: 'export function action(input) { const { promptText } = JSON.parse(input); return promptText; }',
    inside:
      'export function action(input) { const made = { promptText: 1 }; return `${input} ${made.promptText}`; }',
  };
  const all = Object.entries({ ...modules, ...others });

  test('gets text as promptText, and other modules get it as it is', async () => {
    const files = all.map(([name, code]) => [name, { files: { 'src/index.mjs': code } }] as const);
    await using stage = codeSkillStage(Object.fromEntries(files));
    const valueOf = async (name: string, input?: string): Promise<unknown> =>
      (await stage.run(name, input)).result.value;
    for (const name of Object.keys(modules)) assert.equal(await valueOf(name, 'hi'), 'hi undefined', name);
    assert.equal(await valueOf('arrow'), ' undefined');
    assert.equal(await valueOf('named', 'hi'), 'hi as it is');
    assert.equal(await valueOf('parses', '{"promptText": "in JSON"}'), 'in JSON');
    assert.equal(await valueOf('inside', 'hi'), 'hi 1');
    const { result } = await stage.run('reads', { promptText: 'given' });
    assert.equal(result.value, 'given undefined');
  });
});

describe('modules above the bundle', () => {
  const importing = (path: string): { readonly files: Readonly<Record<string, string>> } => ({
    files: {
      'src/index.mjs': `import { twice } from '${path}';\nexport const action = (text) => twice(text);`,
    },
  });
  const twice = (joint: string): string =>
    `import { joint } from './parts/joint.mjs';\nexport const twice = (text) => text + joint + text;\n// ${joint}`;

  test('in the same root can be imported, and are read only', async () => {
    await using stage = codeSkillStage({
      one: importing('../../shared/twice.mjs'),
      two: {
        files: {
          'src/index.mjs': `import { appendFileSync } from 'node:fs';
import '../../shared/twice.mjs';
export const action = (file) => appendFileSync(file, '// changed');`,
        },
      },
    });
    const { files } = stage;
    files.write('skills/shared/twice.mjs', twice('-'));
    files.write('skills/shared/parts/joint.mjs', "export const joint = '-';");
    assert.equal((await stage.run('one', 'a')).result.value, 'a-a');
    files.write('skills/shared/parts/joint.mjs', "export const joint = '+';");
    assert.equal((await stage.run('one', 'a')).result.value, 'a+a');
    const { result } = await stage.run('two', files.at('skills/shared/twice.mjs'));
    assert.equal(result.status, 'failed');
  });

  test(
    'are imported from a copy, so that they cannot change while they run',
    { skip: withoutBubblewrap },
    async () => {
      await using stage = codeSkillStage({
        mounts: {
          files: {
            'src/index.mjs': `import { readFileSync } from 'node:fs';
import '../../shared/twice.mjs';
export const action = () => readFileSync('/proc/self/mountinfo', 'utf8').split('\\n').find((line) => line.includes('twice.mjs'));`,
          },
        },
      });
      stage.files.write('skills/shared/twice.mjs', '');
      const { result } = await stage.run('mounts', '');
      const [, , , source = '', target = ''] = (result.value as string).split(' ');
      assert.equal(target, stage.files.at('skills/shared/twice.mjs'), JSON.stringify(result));
      assert.match(source, /\/files\/\.skilled-shared\/[\da-f]{64}$/);
    },
  );

  test(
    'outside of the root, hidden or linked out of the root, cannot be imported',
    { skip: withoutBubblewrap },
    async () => {
      await using stage = codeSkillStage({
        outside: importing('../../../twice.mjs'),
        hidden: importing('../../.parts/twice.mjs'),
        linked: importing('../../linked.mjs'),
      });
      const { files } = stage;
      for (const path of ['twice.mjs', 'skills/.parts/twice.mjs'])
        files.write(path, 'export const twice = (text) => text;');
      symlinkSync(files.at('twice.mjs'), files.at('skills/linked.mjs'));
      for (const name of ['outside', 'hidden', 'linked'])
        assert.equal(codeOf((await stage.run(name, 'a')).result), 'skill.invalid', name);
    },
  );
});
