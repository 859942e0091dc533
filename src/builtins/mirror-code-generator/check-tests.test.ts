import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { openChecks } from '../../../test/support/check-stage.ts';
import { tree } from '../../../test/support/tree.ts';
import { checkTests, testFilesIn } from './check-tests.ts';

function testOf(body: string): string {
  return `import { test } from 'node:test';\nimport assert from 'node:assert/strict';\ntest('adds', async () => {\n${body}\n});\n`;
}

describe('tests', { skip: withoutBubblewrap }, () => {
  test('that pass, in JavaScript and TypeScript, cause no fault', async () => {
    await using stage = await openChecks({
      'tests/a.test.mjs': testOf('assert.equal(1, 1);'),
      'tests/deep/b.test.ts': testOf('const x: number = 1; assert.equal(x, 1);'),
    });
    assert.deepEqual(await checkTests(stage.context, 60_000), []);
  });

  test('that fail are reported by name, place and output', async () => {
    await using stage = await openChecks({ 'tests/a.test.mjs': testOf("assert.equal('one', 'two');") });
    const [fault] = (await checkTests(stage.context, 60_000)) ?? [];
    assert.match(
      fault?.message ?? '',
      /^The tests failed \(tests\/a\.test\.mjs:3: adds\): Expected values to be strictly equal: .*'one' !== 'two'.*:\n[^]*'one'[^]*'two'/,
    );
    assert.ok(!fault?.message.includes(stage.files.path));
  });

  test('run whatever their files are called', async () => {
    const names = ['a[1]', '{b,c}', '*', 'd?', '!e', '+(f)', 'g h'].map((name) => `tests/${name}.test.mjs`);
    const fails = names.map((name) => [name, testOf('assert.fail();')] as const);
    await using stage = await openChecks({ ...Object.fromEntries(fails), 'tests/plain.test.mjs': '' });
    const [fault] = (await checkTests(stage.context, 60_000)) ?? [];
    for (const name of names) assert.ok(fault?.message.includes(`test at ${name}:`), name);
  });

  test('that cannot be loaded fail', async () => {
    await using stage = await openChecks({ 'tests/a.test.mjs': "import '../src/gone.mjs';" });
    const [fault] = (await checkTests(stage.context, 60_000)) ?? [];
    assert.match(fault?.message ?? '', /^The tests failed[^]*src\/gone\.mjs/);
  });

  test('that never end are killed, and fail', async () => {
    await using stage = await openChecks({ 'tests/a.test.mjs': testOf('for (;;);') });
    const [fault] = (await checkTests(stage.context, 2_000)) ?? [];
    assert.match(fault?.message ?? '', /^The test run was stopped after 2 seconds:/);
  });

  test('are not there if there is no such folder', async () => {
    await using stage = await openChecks({ 'test.mjs': '' });
    assert.equal(await checkTests(stage.context, 60_000), undefined);
  });
});

describe('the files of tests', () => {
  test('are those that are named so', () => {
    using files = tree({
      'tests/b.test.ts': '',
      'tests/a/a.test.mjs': '',
      'tests/support.ts': '',
      'tests/data.test.json': '',
      'tests/.hidden.test.ts': '',
      'tests/node_modules/x/x.test.js': '',
      'tests/fixtures/y.test.js': '',
    });
    assert.deepEqual(testFilesIn(files.path), ['tests/a/a.test.mjs', 'tests/b.test.ts']);
  });

  test('do not exist behind a link', () => {
    using base = tree({ 'skill/src/index.mjs': '', 'elsewhere/a.test.mjs': '' });
    symlinkSync(base.at('elsewhere'), base.at('skill/tests'));
    assert.deepEqual(testFilesIn(base.at('skill')), []);
  });

  test('are all that can be run where none is named so', () => {
    using files = tree({ 'tests/all.mjs': '', 'tests/more.ts': '', 'tests/notes.md': '' });
    assert.deepEqual(testFilesIn(files.path), ['tests/all.mjs', 'tests/more.ts']);
  });
});
