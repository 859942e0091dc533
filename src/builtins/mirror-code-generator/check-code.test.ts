import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { openChecks } from '../../../test/support/check-stage.ts';
import { checkCode, checkLoad, checkSyntax, type CheckedCode, type CodeVerdict } from './check-code.ts';
import { printFault } from './check-programs.ts';
import { findCompiler } from './check-types.ts';

/** Checks these files. By default, all of them have just been written. */
async function check(files: Record<string, string>, more: Partial<CheckedCode> = {}): Promise<CodeVerdict> {
  await using stage = await openChecks(files);
  const written = Object.keys(files).filter((file) => file.startsWith('src/'));
  return await checkCode(stage.context, {
    written,
    generated: written,
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

  test('say that types were not checked if there is no compiler', async () => {
    const { faults, checks } = await check({ 'src/index.ts': 'export const action = (): number => "1";\n' });
    assert.deepEqual(faults, []);
    assert.deepEqual(checks, { syntax: 'passed', types: 'absent', tests: 'none' });
  });

  test('stop at the first kind of fault: syntax, then loading, then tests', async () => {
    const said = async (code: string): Promise<string> =>
      (await check({ 'src/index.mjs': code, ...failing })).faults.map(printFault).join();
    assert.match(await said('const ;'), /^src\/index\.mjs:1: Unexpected token ';'$/);
    assert.match(await said('export {};'), /^src\/index\.mjs does not export a function named action\.$/);
    assert.match(await said('export const action = () => 1;'), /^The tests failed[^]*It ran\./);
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
    const { faults, remarks } = await check(files, { generated: ['src/index.ts', 'src/made.ts'], compiler });
    assert.deepEqual(
      faults.map(({ file }) => file),
      ['src/made.ts'],
    );
    assert.match(remarks.join(), /^src\/own\.ts:1: /);
  });
});

/** Returns the problems of a module, as text. */
async function faultsOf(
  code: string,
  { names = ['action'], timeoutMs = 60_000, more = {} } = {},
): Promise<string> {
  await using stage = await openChecks({ 'src/index.mjs': code, ...more });
  const faults = await checkLoad(stage.context, 'src/index.mjs', names, timeoutMs);
  return faults.map(({ message }) => message).join('\n');
}

describe('an entry', { skip: withoutBubblewrap }, () => {
  test('that exports its functions has no faults, whatever it prints or leaves running', async () => {
    const code = [
      'console.log("{}");',
      'setInterval(() => {}, 1000);',
      'export const action = () => 1;',
      'export async function other() {}',
    ];
    assert.equal(await faultsOf(code.join('\n'), { names: ['action', 'other'] }), '');
  });

  test('that lacks some is reported by their names', async () => {
    const code = 'export const action = 1; export default () => 1;';
    assert.equal(
      await faultsOf(code, { names: ['action', 'other'] }),
      'src/index.mjs does not export a function named action.\nsrc/index.mjs does not export a function named other.',
    );
  });

  test('that throws is reported with what and where, without the place of the copy', async () => {
    const said = await faultsOf("\nthrow new TypeError('No luck.');");
    assert.match(
      said,
      /^src\/index\.mjs could not be loaded: TypeError: No luck\.\n {4}at src\/index\.mjs:2:7/,
    );
    assert.match(await faultsOf("throw 'text'"), /could not be loaded: text$/);
  });

  test('that imports what is not there is reported', async () => {
    assert.match(await faultsOf("import './gone.mjs';"), /Cannot find module 'src\/gone\.mjs'/);
    assert.match(await faultsOf("import 'left-pad';"), /Cannot find package 'left-pad'/);
    const more = { 'src/lib.mjs': 'export const b = 1;' };
    assert.match(
      await faultsOf("import { a } from './lib.mjs';", { more }),
      /does not provide an export named 'a'/,
    );
  });

  test('that ends the process, or waits for ever, is reported', async () => {
    assert.match(await faultsOf('process.exit(0);'), /could not be loaded: the process ended early/);
    assert.match(
      await faultsOf('await new Promise(() => {});'),
      /could not be loaded: the process ended early/,
    );
    const loud =
      "process.stderr.write('x'.repeat(5000) + 'The end.', () => process.exit(0)); await new Promise(() => {});";
    assert.match(await faultsOf(loud), /\n\[2,008 characters before this were cut off\]\nx{2992}The end\.$/);
    assert.match(await faultsOf('for (;;);', { timeoutMs: 1500 }), /was stopped after 2 seconds/);
  });

  test('reaches nothing while it is loaded: no file, no network, no variable, no process of the host', async () => {
    process.env['SKILLED_TEST_PLANTED'] = 'planted';
    const code = `
      import { readFileSync, writeFileSync } from 'node:fs';
      import { connect } from 'node:net';
      import { once } from 'node:events';
      const tried = {};
      for (const [name, attempt] of Object.entries({
        own: () => writeFileSync(new URL('../descriptor.md', import.meta.url), 'x'),
        beside: () => writeFileSync(new URL('./evil.mjs', import.meta.url), 'x'),
        outside: () => writeFileSync('/work-evil', 'x'),
        secrets: () => readFileSync('/etc/shadow'),
        network: () => once(connect(80, '1.1.1.1'), 'connect'),
        kill: () => process.kill(${process.pid}, 0),
      })) {
        try { await attempt(); tried[name] = 'done'; } catch { tried[name] = 'refused'; }
      }
      tried.planted = Object.values(process.env).includes('planted');
      throw new Error(JSON.stringify(tried));
    `;
    await using stage = await openChecks({ 'src/index.mjs': code });
    const [fault] = await checkLoad(stage.context, 'src/index.mjs', ['action'], 60_000);
    delete process.env['SKILLED_TEST_PLANTED'];
    const refused = ['own', 'beside', 'outside', 'secrets', 'network', 'kill'].map((name) => [
      name,
      'refused',
    ]);
    const tried = /Error: (\{.*\})/.exec(fault?.message ?? '')?.[1] ?? '{}';
    assert.deepEqual(JSON.parse(tried), { ...Object.fromEntries(refused), planted: false });
    assert.ok(!existsSync(stage.files.at('descriptor.md')) && !existsSync(stage.files.at('src/evil.mjs')));
  });
});

const minute = 60_000;

const good = {
  'src/types.ts':
    "import type { A } from './a.ts';\nawait 1;\nexport const x: A | string = import.meta.url;\n",
  'src/module.mts': 'export const x: number = 1;\n',
  'src/old.cts': 'const x: number = 1;\nmodule.exports = { x };\n',
  'src/module.mjs': 'export default 1;\n',
  'src/script.js': 'export const x = 1;\n',
  'src/common.cjs': "module.exports = require('node:fs');\nreturn;\n",
  'src/value.json': '{"a": [1]}\n',
  'src/query.sql': 'select from where (\n',
  'src/effect.mjs': "throw new Error('It ran.');\n",
};

const bad = {
  'src/token.ts': 'export const a: number = 1;\nconst b = ;\n',
  'src/enum.ts': 'export const a = 1;\n\nexport enum B { c }\n',
  'src/property.ts': 'export class A {\n  constructor(private b: number) {}\n}\n',
  'src/twice.ts': 'const a = 1;\nconst a: number = 2;\nexport { a };\n',
  'src/token.mjs': 'const b = ;\n',
  'src/import.cjs': "\nimport x from 'y';\n",
  'src/value.json': '{"a": }\n',
};

describe('syntax', { skip: withoutBubblewrap }, () => {
  test('of files that can be run has no faults, and nothing of them is run', async () => {
    await using stage = await openChecks(good);
    assert.deepEqual(await checkSyntax(stage.context, Object.keys(good), minute), []);
  });

  test('that is wrong is reported with file and line, also what only a compiler could make into code', async () => {
    await using stage = await openChecks(bad);
    const faults = await checkSyntax(stage.context, Object.keys(bad), minute);
    const said = faults.map(printFault);
    const patterns = [
      /^src\/token\.ts:2: Expression expected/,
      /^src\/enum\.ts:3: TypeScript enum is not supported/,
      /^src\/property\.ts:2: TypeScript parameter property is not supported/,
      /^src\/twice\.ts:2: Identifier 'a' has already been declared/,
      /^src\/token\.mjs:1: Unexpected token/,
      /^src\/import\.cjs:2: Cannot use import statement/,
      /^src\/value\.json: [^]*JSON/,
    ];
    assert.equal(said.length, patterns.length, said.join('\n'));
    for (const [index, pattern] of patterns.entries()) assert.match(said[index] ?? '', pattern);
  });

  test('that takes too long to read is a fault', async () => {
    await using stage = await openChecks({ 'src/a.mjs': '' });
    const faults = await checkSyntax(stage.context, ['src/a.mjs'], 1);
    assert.match(faults[0]?.message ?? '', /The syntax check was stopped after 1 second\./);
  });
});
