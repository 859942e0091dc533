import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SandboxProvider } from '../../../src/core/sandbox.ts';
import { codeStage } from '../code-stage.ts';

/** Registers tests of the input and result of calls, and of the process that runs each call. */
export function checkCodeCalls(sandboxes: SandboxProvider): void {
  test('a function gets its input and its scope, and gives a value', async () => {
    await using at = codeStage(
      sandboxes,
      `export async function action(input: { a: number }, scope: Record<string, unknown>) {
        return { input, keys: Object.keys(scope).sort(), run: scope['runId'], isSignal: scope['signal'] instanceof AbortSignal };
      }`,
    );
    const more = { facts: { runId: 'r1' }, functions: { call: async () => null } };
    assert.deepEqual(await at.value({ a: 1 }, more), {
      input: { a: 1 },
      keys: ['call', 'runId', 'signal'],
      run: 'r1',
      isSignal: true,
    });
  });

  test('modules are TypeScript or JavaScript, with what they import', async () => {
    const code = (kind: string): string =>
      `import { word } from '../lib/word.mjs'; export const action = () => \`\${word} ${kind}\`;`;
    await using at = codeStage(sandboxes, code('ts'), {
      'lib/word.mjs': "export const word = 'from';",
      'src/index.mts': code('mts'),
      'src/index.mjs': code('mjs'),
      'src/index.js': code('js'),
    });
    for (const kind of ['ts', 'mts', 'mjs', 'js'])
      assert.deepEqual(await at.run(null, { module: at.files.at(`src/index.${kind}`) }), {
        value: `from ${kind}`,
        stdout: '',
        stderr: '',
      });
  });

  test('a folder may have any name', async () => {
    const code = 'export const action = () => { throw new Error("no") };';
    await using at = codeStage(sandboxes, '', { 'a b%20ü#/index.ts': code });
    const { message } = (await at.fault(null, { module: at.files.at('a b%20ü#/index.ts') })) ?? {};
    assert.match(message ?? '', /^a b%20ü#\/index\.ts failed: no/);
  });

  test('what it prints is given with its value, and is that of one call', async () => {
    await using at = codeStage(
      sandboxes,
      `import { writeSync } from 'node:fs';
      export const action = (text: string) => { console.log(text); console.error('to err', text); writeSync(1, 'raw'); };`,
    );
    assert.deepEqual(await at.run('one'), { value: null, stdout: 'one\nraw', stderr: 'to err one\n' });
    assert.deepEqual(await at.run('two'), { value: null, stdout: 'two\nraw', stderr: 'to err two\n' });
  });

  test('of much that it prints the end is given', async () => {
    await using at = codeStage(
      sandboxes,
      "export const action = () => { for (let n = 0; n < 2000; n += 1) console.log('x'.repeat(1000)); console.log('last'); return 1; };",
    );
    const { value, stdout } = await at.run();
    assert.equal(value, 1);
    const [note = ''] = stdout.split('\n');
    assert.match(note, /1,9\d\d,\d{3}/);
    assert.equal(stdout.length, note.length + 1 + 100_000);
    assert.ok(stdout.endsWith('x\nlast\n'));
  });

  test('there is nothing to read', async () => {
    await using at = codeStage(
      sandboxes,
      "import { readFileSync } from 'node:fs'; export const action = () => readFileSync(0, 'utf8');",
    );
    assert.equal(await at.value(), '');
  });

  test('calls with one key use one process, one at a time; others have their own', async () => {
    await using at = codeStage(
      sandboxes,
      'const id = Math.random(); let inside = 0;\n' +
        'export const action = async (_: unknown, scope: any) => { inside += 1; const most = inside; await scope.wait(); inside -= 1; return [id, most]; };',
    );
    const functions = { wait: async () => null };
    const first = await at.value(null, { functions });
    assert.deepEqual(await at.value(null, { functions }), first);
    assert.notDeepEqual(await at.value(null, { functions, key: 'two' }), first);
    const many = await Promise.all(Array.from({ length: 4 }, () => at.value(null, { functions })));
    assert.ok((many as number[][]).every(([, most]) => most === 1));
  });

  test('a call that leaves work or changed built-ins affects no other call', async () => {
    await using at = codeStage(
      sandboxes,
      `const id = Math.random();
      export const action = (how: string) => {
        if (how === 'timer') setInterval(() => undefined, 1000);
        if (how === 'server') process.getBuiltinModule('node:net').createServer().listen(0);
        if (how === 'object') (Object.prototype as any).extra = 1;
        if (how === 'then') Promise.prototype.then = function () { return this; };
        if (how === 'stringify') JSON.stringify = () => '"forged"';
        if (how === 'array') Array.prototype[Symbol.iterator] = function* () {};
        if (how === 'push') Array.prototype.push = () => 0;
        if (how === 'map') Map.prototype.get = () => undefined;
        if (how === 'clock') Date.now = () => 0;
        if (how === 'folder') process.chdir('/');
        return id;
      };`,
    );
    const ids: unknown[] = [];
    const work = ['timer', '', 'server'];
    const changes = ['object', 'then', 'stringify', 'array', 'push', 'map', 'clock', 'folder'];
    for (const how of ['', '', ...work, ...changes, '', '']) ids.push(await at.value(how));
    assert.deepEqual(
      ids.map((id) => ids.indexOf(id)),
      [0, 0, 0, 3, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 13],
    );
  });

  test('a module may change the language as it is loaded', async () => {
    await using at = codeStage(
      sandboxes,
      `const id = Math.random();
      (Object.prototype as any).value = 'x'; (Object.prototype as any).toJSON = undefined; JSON.stringify = () => 'forged';
      Array.prototype[Symbol.iterator] = function* () {}; Array.prototype.push = () => 0; Promise.prototype.then = () => new Promise(() => {});
      Map.prototype.get = () => undefined; String.prototype.slice = () => ''; Function.prototype.call = () => 0;
      export const action = async (input: unknown, scope: any) => [id, input, await scope.ask('a')];`,
    );
    const functions = { ask: async (given: unknown) => given as string[] };
    const [id, ...rest] = (await at.value({ b: [1] }, { functions })) as unknown[];
    assert.deepEqual(rest, [{ b: [1] }, ['a']]);
    assert.deepEqual(await at.value({ b: [1] }, { functions }), [id, ...rest]);
  });
}
