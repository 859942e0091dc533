import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SandboxProvider } from '../../../src/core/sandbox.ts';
import { codeStage, type StageCall } from '../code-stage.ts';

const actionOf = (body: string): string =>
  `export async function action(input: any, scope: any): Promise<unknown> {\n${body}\n}`;

/** Registers tests of the errors that broken code causes. */
export function checkCodeFaults(sandboxes: SandboxProvider): void {
  const faultOf = async (code: string, more?: StageCall): Promise<string> => {
    await using at = codeStage(sandboxes, code, { 'src/bad.ts': 'export const x =\n  ;' });
    const fault = await at.fault(null, more);
    assert.ok(fault?.hint, fault?.message);
    assert.ok(!fault.message.includes(at.files.path), fault.message);
    return `${fault.code}: ${fault.message}`;
  };

  test('a module that is not there, has no such function, or cannot be loaded', async () => {
    assert.equal(
      await faultOf('', { module: '/nowhere/index.ts' }),
      'skill.invalid: index.ts does not exist.',
    );
    assert.equal(
      await faultOf('export const act = 1;'),
      'skill.invalid: src/index.ts does not export a function named action.',
    );
    assert.equal(
      await faultOf('export const action = 1;'),
      'skill.invalid: src/index.ts does not export a function named action.',
    );
    const broken = 'skill.invalid: src/index.ts cannot be loaded: ';
    assert.equal(
      await faultOf("\nthrow new TypeError('at once');"),
      `${broken}TypeError: at once (src/index.ts:2)`,
    );
    assert.equal(
      await faultOf("import './gone.ts'; export const action = () => 1;"),
      `${broken}Cannot find module 'src/gone.ts' imported from src/index.ts`,
    );
    assert.match(
      await faultOf("import './bad.ts'; export const action = () => 1;"),
      /cannot be loaded: .*\(src\/bad\.ts:2\)$/s,
    );
    assert.match(
      await faultOf('export enum A { B }; export const action = () => 1;'),
      /cannot be loaded: .*enum/s,
    );
    assert.match(await faultOf("import { nothing } from './bad.mjs'; nothing();"), /cannot be loaded: /);
  });

  test('a function that throws, whatever it throws', async () => {
    const ways = {
      "throw new RangeError('too far');": 'RangeError: too far (src/index.ts:1)',
      "throw 'a text';": 'a text',
      'throw { code: 7 };': '{"code":7}',
      'throw undefined;': 'undefined',
      "throw new Error('');": 'Error without a message (src/index.ts:1)',
      "throw new Error('', { cause: new Error('closed') });":
        'Error without a message: closed (src/index.ts:1)',
      'throw new TypeError();': 'TypeError without a message (src/index.ts:1)',
      'throw {};': 'an object without a message',
      "throw '';": 'it threw an empty text',
      'throw new Proxy({}, { get() { throw new Error("again"); } });': 'something that cannot be read',
      'setTimeout(() => { throw new Error("later"); }); await new Promise(() => {});':
        'later (src/index.ts:1)',
      'void Promise.reject(new Error("alone")); await new Promise(() => {});': 'alone (src/index.ts:1)',
    };
    const all = Object.keys(ways).map((way) => `async () => { ${way} }`);
    await using at = codeStage(
      sandboxes,
      `const all = [${all.join(', ')}];\nexport const action = (index: number) => all[index]!();`,
    );
    for (const [index, said] of Object.values(ways).entries()) {
      const fault = await at.fault(index);
      assert.equal(`${fault?.code}: ${fault?.message}`, `skill.failed: src/index.ts failed: ${said}`);
    }
  });

  test('a failure with a cause tells it once, and what the sandbox may have to do with it', async () => {
    const ways = {
      "throw new Error('no rates', { cause: new Error('the bank is closed') });":
        /: no rates: the bank is closed \(src\/index\.ts:2\) Check src\/index\.ts, line 2\.$/,
      "throw new Error('no rates: closed', { cause: new Error('closed') });": /: no rates: closed \(/,
      "throw new Error('no rates', { cause: { code: 'ELATE' } });": /: no rates: ELATE \(/,
      "throw new Error('no rates', { cause: 'a text' });": /: no rates \(/,
      "await fetch('http://127.0.0.1:9');": /: TypeError: fetch failed: .+ grant under "hosts"\.$/,
      "(await import('node:fs')).readFileSync('/nowhere/rates');":
        /ENOENT.+ grant it "workspace" or "read"\.$/,
    };
    for (const [way, said] of Object.entries(ways)) {
      await using at = codeStage(sandboxes, actionOf(way));
      const fault = await at.fault();
      assert.match(`${fault?.message} ${fault?.hint}`, said);
    }
  });

  test('a value that JSON would change', async () => {
    const values = {
      'new Date(0)': 'it is a Date',
      '{ a: [1, { b: new Map() }] }': 'a[1].b is a Map',
      '() => 1': 'it is a function',
      '[1n]': '[0] is a bigint',
      "{ 'x y': Symbol('z') }": 'x y is a symbol',
      '[0 / 0]': '[0] is NaN',
      '{ a: Infinity }': 'a is Infinity',
      'new (class Point { x = 1 })()': 'it is a Point',
      ring: `${'b.'.repeat(59)}b is nested too deeply, or contains itself`,
    };
    await using at = codeStage(
      sandboxes,
      `const ring: any = {}; ring.b = ring; const all = [${Object.keys(values).join(', ')}]; export const action = (index: number) => all[index];`,
    );
    for (const [index, said] of Object.values(values).entries()) {
      const fault = await at.fault(index);
      const expected = `skill.failed: src/index.ts returned something that is not JSON: ${said}.`;
      assert.equal(`${fault?.code}: ${fault?.message}`, expected);
    }
  });

  test('a value that JSON can hold', async () => {
    await using at = codeStage(
      sandboxes,
      actionOf(
        'return [undefined, { a: undefined, b: Object.create(null), c: "\\ud800\\n" }, -1.5, [], null];',
      ),
    );
    assert.deepEqual(await at.value(), [null, { b: {}, c: '\ud800\n' }, -1.5, [], null]);
  });

  test('a value, or an input, that is too large', async () => {
    const code = actionOf('return typeof input === "number" ? "x".repeat(input) : input.length;');
    await using at = codeStage(sandboxes, code);
    assert.equal(await at.value('x'.repeat(3_900_000)), 3_900_000);
    assert.equal(((await at.value(3_900_000)) as string).length, 3_900_000);
    assert.equal((await at.fault(5_000_000))?.code, 'limit.too-large');
    assert.equal((await at.fault('x'.repeat(5_000_000)))?.code, 'limit.too-large');
  });

  test('files that changed while they were loaded', async () => {
    await using at = codeStage(sandboxes, actionOf('return 1;'));
    const fault = await at.fault(null, { isCurrent: () => false });
    assert.equal(fault?.code, 'skill.changed');
    assert.equal(await at.value(), 1);
  });

  test('what it had printed is reported with its failure', async () => {
    await using at = codeStage(sandboxes, actionOf("console.error('on the way'); throw new Error('no');"));
    assert.deepEqual((await at.fault())?.details, { stderr: 'on the way\n' });
  });
}
