import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { codeSkillStage } from '../../../test/support/code-skill-stage.ts';
import type { ErrorData } from '../../core/error.ts';

const returning = (value: string): string => `export const action = () => (${value});`;
const count = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };

const stage = codeSkillStage({
  well: { code: returning('1') },
  none: {},
  linked: { files: { 'src/other.ts': '' } },
  wrong: { output: count, code: returning('{ count: "many" }') },
  lacking: { output: count, code: returning('{}') },
  sum: { code: returning('{ total: 10n }') },
  dated: { code: returning('[new Date()]') },
  broken: { code: "const lamp = 1;\n\nthrow new Error('no lamp');" },
  unreadable: { code: 'export const action = (;\n' },
  unnamed: { code: 'export const run = () => 1;' },
  throwing: { code: "export function action(): void {\n  throw new Error('the bell is broken');\n}" },
  leaving: { code: 'export const action = () => process.exit(0);' },
  endless: { head: 'timeout: 1\n', code: 'export const action = () => { for (;;); };' },
  waiting: {
    head: 'timeout: 1\n',
    code: 'export const action = () => new Promise(() => setInterval(() => {}, 50));',
  },
  mute: {
    files: {
      'cskill.md': '# mute\n\n## Description\n\nDoes mute.\n',
      'src/index.ts': returning('1'),
    },
  },
});
stage.files.write('secret.ts', returning('"from outside"'));
symlinkSync(stage.files.at('secret.ts'), stage.files.at('skills/linked/src/index.ts'));
stage.files.write('skills/garbage/cskill.md', new Uint8Array([0xff, 0xfe, 0x00]));
stage.files.write('skills/garbage/src/index.ts', returning('1'));
after(() => stage[Symbol.asyncDispose]());

async function failureOf(skill: string): Promise<ErrorData> {
  const { result } = await stage.run(skill, null);
  assert.equal(result.status, 'failed', JSON.stringify(result));
  assert.ok(result.error !== undefined);
  return result.error;
}

describe('what goes wrong with a code skill is reported with its file, and no one else suffers', () => {
  for (const [skill, code, message] of [
    ['none', 'skill.invalid', /no src\/index\.ts, \.mts, \.mjs or \.js in .*skills\/none/],
    ['linked', 'skill.invalid', /skills\/linked\/src\/index\.ts is a link to a file outside/],
    ['mute', 'skill.invalid', /"mute" does not describe its input \(.*mute\/cskill\.md\)/],
    ['wrong', 'skill.failed', /Output Format: count must be a number, not a string \(src\/index\.ts\)/],
    ['lacking', 'skill.failed', /Output Format: count is required \(number\) \(src\/index\.ts\)/],
    ['sum', 'skill.failed', /not JSON: total/],
    ['dated', 'skill.failed', /not JSON: \[0\]/],
    ['broken', /^skill\.(?:invalid|failed)$/, /src\/index\.ts:3.*no lamp|no lamp.*src\/index\.ts:3/s],
    ['unreadable', /^skill\.(?:invalid|failed)$/, /src\/index\.ts/],
    ['unnamed', 'skill.invalid', /src\/index\.ts.*action|action.*src\/index\.ts/],
    ['throwing', 'skill.failed', /src\/index\.ts:2.*the bell|the bell is broken.*src\/index\.ts:2/s],
    ['leaving', 'skill.failed', /src\/index\.ts/],
    ['endless', 'limit.time', /src\/index\.ts/],
    ['waiting', 'limit.time', /src\/index\.ts/],
  ] as const) {
    test(skill, async () => {
      const error = await failureOf(skill);
      if (typeof code === 'string') assert.equal(error.code, code, error.message);
      else assert.match(error.code, code);
      assert.match(error.message, message);
      assert.notEqual(error.hint ?? '', '', 'it names the next step');
      assert.equal((await stage.run('well')).result.value, 1);
    });
  }

  test('a descriptor that cannot be read keeps only its own skill from running', async () => {
    const { result } = await stage.run('garbage');
    assert.equal(result.status, 'failed');
    assert.equal(result.error?.code, 'skill.invalid', JSON.stringify(result));
    assert.equal((await stage.run('well')).result.value, 1);
  });

  test('types below node_modules', async () => {
    await using packaged = codeSkillStage({}, [], {
      additionalSkillRoots: [stage.files.at('node_modules/lamp/skills')],
    });
    stage.files.write(
      'node_modules/lamp/skills/lamp/cskill.md',
      '# lamp\n\n## Description\n\nX.\n\n## Input Format\n\nX.\n',
    );
    stage.files.write('node_modules/lamp/skills/lamp/src/index.ts', returning('1'));
    const { result } = await packaged.run('lamp');
    assert.equal(result.error?.code, 'skill.invalid', JSON.stringify(result));
    assert.match(result.error.message, /lamp\/src\/index\.ts cannot run: Node\.js does not strip types/);
    stage.files.write('node_modules/lamp/skills/lamp/src/index.mjs', returning('1'));
    assert.equal((await packaged.run('lamp')).result.value, 1);
  });
});
