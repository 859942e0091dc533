import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { openChecks } from '../../../test/support/check-stage.ts';
import { checkLoad } from './check-load.ts';

/** What is wrong with a module, as text. */
async function faultsOf(
  code: string,
  { names = ['action'], timeoutMs = 60_000, more = {} } = {},
): Promise<string> {
  await using stage = await openChecks({ 'src/index.mjs': code, ...more });
  const faults = await checkLoad(stage.place, 'src/index.mjs', names, timeoutMs);
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

  test('that lacks some is told by their names', async () => {
    const code = 'export const action = 1; export default () => 1;';
    assert.equal(
      await faultsOf(code, { names: ['action', 'other'] }),
      'src/index.mjs exports no function named action.\nsrc/index.mjs exports no function named other.',
    );
  });

  test('that throws is told with what and where, without the place of the copy', async () => {
    const said = await faultsOf("\nthrow new TypeError('No luck.');");
    assert.match(said, /^src\/index\.mjs cannot be loaded: TypeError: No luck\.\n {4}at src\/index\.mjs:2:7/);
    assert.match(await faultsOf("throw 'text'"), /cannot be loaded: text$/);
  });

  test('that imports what is not there is told', async () => {
    assert.match(await faultsOf("import './gone.mjs';"), /Cannot find module 'src\/gone\.mjs'/);
    assert.match(await faultsOf("import 'left-pad';"), /Cannot find package 'left-pad'/);
    const more = { 'src/lib.mjs': 'export const b = 1;' };
    assert.match(
      await faultsOf("import { a } from './lib.mjs';", { more }),
      /does not provide an export named 'a'/,
    );
  });

  test('that ends the process, or waits for ever, is told', async () => {
    assert.match(await faultsOf('process.exit(0);'), /the process ended before it was/);
    assert.match(await faultsOf('await new Promise(() => {});'), /the process ended before it was/);
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
    const [fault] = await checkLoad(stage.place, 'src/index.mjs', ['action'], 60_000);
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
