import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { openChecks } from '../../../test/support/check-stage.ts';
import { checkCode, type CheckedCode, type Verdict } from './check-code.ts';
import { findCompiler } from './compiler.ts';
import { printFault } from './fault.ts';

/** What checks say of these files; all of them were just written unless said. */
async function check(files: Record<string, string>, more: Partial<CheckedCode> = {}): Promise<Verdict> {
  await using stage = await openChecks(files);
  const written = Object.keys(files).filter((file) => file.startsWith('src/'));
  return await checkCode(stage.place, {
    written,
    made: written,
    exports: ['action'],
    compiler: undefined,
    ...more,
  });
}

const failing = { 'tests/a.test.mjs': "throw new Error('It ran.');\n" };

describe('checks', { skip: withoutBubblewrap }, () => {
  test('that all pass say what was looked at', async () => {
    const { faults, checks, remarks } = await check({
      'src/index.mjs': 'export const action = () => 1;\n',
      'tests/a.test.mjs': "import '../src/index.mjs';\n",
    });
    assert.deepEqual([faults, remarks], [[], []]);
    assert.deepEqual(checks, { syntax: 'passed', types: 'none', tests: 'passed' });
  });

  test('say that types were not checked where there is no compiler', async () => {
    const { faults, checks } = await check({ 'src/index.ts': 'export const action = (): number => "1";\n' });
    assert.deepEqual(faults, []);
    assert.deepEqual(checks, { syntax: 'passed', types: 'absent', tests: 'none' });
  });

  test('stop at the first kind of fault: syntax, then loading, then tests', async () => {
    const said = async (code: string): Promise<string> =>
      (await check({ 'src/index.mjs': code, ...failing })).faults.map(printFault).join();
    assert.match(await said('const ;'), /^src\/index\.mjs:1: Unexpected token ';'$/);
    assert.match(await said('export {};'), /^src\/index\.mjs exports no function named action\.$/);
    assert.match(await said('export const action = () => 1;'), /^The tests fail[^]*It ran\./);
  });

  test('load nothing where nothing has to be exported', async () => {
    const { faults } = await check({ 'src/index.mjs': "throw new Error('It ran.');" }, { exports: [] });
    assert.deepEqual(faults, []);
  });

  test('blame files that were made, and only remark on those that people wrote', async () => {
    const files = {
      'src/index.ts': 'export const action = (): number => 1;\n',
      'src/made.ts': 'export const made: number = "made";\n',
      'src/own.ts': 'export const own: number = "own";\n',
    };
    const compiler = findCompiler();
    const { faults, remarks } = await check(files, { made: ['src/index.ts', 'src/made.ts'], compiler });
    assert.deepEqual(
      faults.map(({ file }) => file),
      ['src/made.ts'],
    );
    assert.match(remarks.join(), /^src\/own\.ts:1: /);
  });
});
