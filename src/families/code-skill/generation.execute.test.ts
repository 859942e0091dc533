import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { codeSkillStage, type CodeSkillFiles } from '../../../test/support/code-skill-stage.ts';
import { done } from '../../../test/support/kernel.ts';
import { defineSkill } from '../../core/define-skill.ts';
import { createPolicy } from '../../policy/policy.ts';
import { openTrustBook } from '../../policy/trust-book.ts';
import type { Script } from '../../models/scripted.ts';

const spec = (text: string): Readonly<Record<string, string>> => ({
  'specs/index.mjs.md': `# index\n\n${text}\n`,
});
const slug: CodeSkillFiles = {
  input: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  output: { type: 'string' },
  files: spec('Exports action, which gives the title in lower case.'),
};
const block = (file: string, code: string): string => `## file: src/${file}\n\`\`\`js\n${code}\n\`\`\`\n`;
const lower = block('index.mjs', 'export const action = ({ title }) => title.toLowerCase();');
const upper = lower.replace('toLowerCase', 'toUpperCase');
const broken = block('index.mjs', 'export const action = (;');

describe('a code skill with specs', () => {
  test('is generated before its first call, and only then', async () => {
    await using stage = codeSkillStage({ slug }, [lower]);
    const { result, called } = await stage.run('slug', 'Hello There');
    assert.equal(result.text, 'hello there', JSON.stringify(result));
    assert.deepEqual(called, ['slug']);
    assert.match(readFileSync(stage.files.at('skills/slug/src/index.mjs'), 'utf8'), /toLowerCase/);
    assert.equal((await stage.run('slug', 'Again')).result.text, 'again');
    assert.equal(stage.model.requests.length, 1);
    assert.match(JSON.stringify(stage.model.requests[0]), /Does slug\..*title/s);
  });

  test('is generated again when a spec changes', async () => {
    await using stage = codeSkillStage({ slug }, [lower, upper]);
    await stage.run('slug', 'Hello');
    stage.files.write(
      'skills/slug/specs/index.mjs.md',
      '# index\n\nExports action: the title in upper case.\n',
    );
    const { result, notes } = await stage.run('slug', 'Hello');
    assert.deepEqual([result.text, notes], ['HELLO', []]);
  });
});

describe('a generation that fails', () => {
  const failing: Script = [broken, broken, broken];

  test('fails the call if there is no code, and is not tried again by itself', async () => {
    await using stage = codeSkillStage({ slug }, failing);
    const { result } = await stage.run('slug', 'Hello');
    assert.equal(result.error?.code, 'skill.failed', JSON.stringify(result));
    assert.match(result.error.message, /The code of "slug" could not be generated: .*src\/index\.mjs/);
    assert.match(result.error.hint ?? '', /skilled build slug/);
    const asked = stage.model.requests.length;
    assert.equal((await stage.run('slug', 'Hello')).result.error?.code, 'skill.failed');
    assert.equal(stage.model.requests.length, asked);
  });

  test('leaves the older code, which runs and says so', async () => {
    await using stage = codeSkillStage({ slug }, [lower, ...failing]);
    await stage.run('slug', 'Hello');
    stage.files.write('skills/slug/specs/index.mjs.md', '# index\n\nSomething else.\n');
    for (const title of ['One', 'Two']) {
      const { result, notes } = await stage.run('slug', title);
      assert.equal(result.text, title.toLowerCase(), JSON.stringify(result));
      assert.match(notes.join('\n'), /^Older code is used because "slug" could not be generated again: /m);
    }
    assert.equal(stage.model.requests.length, 4);
  });

  test('for want of a model is that failure, and is tried again with the next call', async () => {
    let isThere = false;
    const error = { code: 'model.unavailable', message: 'Nobody is there.' } as const;
    await using stage = codeSkillStage({ slug }, () => (isThere ? lower : { error }));
    assert.equal((await stage.run('slug', 'Hello')).result.error?.code, 'model.unavailable');
    isThere = true;
    assert.equal((await stage.run('slug', 'Hello')).result.text, 'hello');
  });

  test('is tried again by a build, which a person asks for', async () => {
    await using stage = codeSkillStage({ slug }, [...failing, lower]);
    await stage.run('slug', 'Hello');
    const { result } = await stage.run('slug', {}, { mode: 'build' });
    assert.equal(result.status, 'done', JSON.stringify(result));
    assert.match(result.text, /^slug: 1 file generated/);
    assert.equal((await stage.run('slug', 'Hello')).result.text, 'hello');
  });
});

test('code that was edited by hand runs, with a word about that', async () => {
  await using stage = codeSkillStage({ slug }, [lower]);
  await stage.run('slug', 'Hello');
  stage.files.write('skills/slug/src/index.mjs', 'export const action = () => "by hand";\n');
  const { result, notes } = await stage.run('slug', 'Hello');
  assert.equal(result.text, 'by hand');
  assert.match(
    notes.join('\n'),
    /^Edited by hand and kept: src\/index\.mjs\. To generate again, run `skilled build slug --force`/m,
  );
  assert.equal(stage.model.requests.length, 1);
});

test('generated code calls other skills as any code does', async () => {
  const code = `import type { CodeScope } from 'skilled';
export async function action({ title }: { title: string }, scope: CodeScope): Promise<string> {
  return (await scope.call('work', title)).text;
}`;
  const typed = { ...slug, files: { 'specs/index.md': '# index\n\nExports action, which has work done.\n' } };
  await using stage = codeSkillStage({ slug: typed }, [block('index.ts', code)]);
  const run = (input: unknown): ReturnType<typeof done> => done(`worked on ${String(input)}`);
  stage.agent.skills.register(defineSkill({ name: 'work', description: 'Works.', run }));
  assert.equal((await stage.run('slug', 'it')).result.text, 'worked on it');
});

test('trust in the files of a skill goes over to the code that is made of them', async () => {
  const policy = createPolicy({}, openTrustBook(undefined));
  await using stage = codeSkillStage({ slug }, [lower], { policy });
  const { agent } = stage;
  const asked = await agent.run({ skill: 'slug', input: 'Hello' }).result;
  assert.deepEqual([asked.status, stage.model.requests.length], ['waiting', 0]);
  await agent.runs.approve(asked.runId, asked.question?.id ?? '', { allow: 'version' });
  assert.equal((await agent.runs.resume(asked.runId).result).text, 'hello');
  assert.equal((await stage.run('slug', 'Again')).result.text, 'again');
  assert.equal(stage.model.requests.length, 1);
});
