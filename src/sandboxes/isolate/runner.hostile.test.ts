import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import * as fc from 'fast-check';
import { openLoops } from '../../../test/stress/stress.ts';
import { isAgentError } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';
import type { Snippet } from '../../core/code.ts';
import { createIsolates } from './runner.ts';

const { size } = openLoops(import.meta);

const never = new AbortController().signal;
const runner = createIsolates();
after(() => runner.close());

/** Returns the value of a snippet, or the code of its error. */
async function outcomeOf(code: string, limits: Partial<Snippet> = {}): Promise<Json> {
  const functions = { echo: (given: Json) => given };
  try {
    return (await runner.run({ code, input: { a: 1 }, functions, ...limits }, never)).value;
  } catch (thrown) {
    assert.ok(isAgentError(thrown), String(thrown));
    return thrown.code;
  }
}

async function mustStillRun(): Promise<void> {
  assert.equal(await outcomeOf('return 1 + 1'), 2);
}

const hostNames = [
  'process',
  'require',
  'module',
  'Buffer',
  'fetch',
  'setTimeout',
  'queueMicrotask',
  'structuredClone',
];

describe('a snippet finds nothing of the host', () => {
  test('by name', async () => {
    assert.deepEqual(
      await outcomeOf(`return ${JSON.stringify(hostNames)}.filter((name) => name in globalThis)`),
      [],
    );
    assert.deepEqual(await outcomeOf('return Object.keys(globalThis).sort()'), ['echo']);
  });

  // Each tries to obtain `process` and to return data from it.
  const ways: Readonly<Record<string, string>> = {
    'the constructor of this': `return this.constructor.constructor('return process')().pid`,
    'the global object': `return globalThis.constructor.constructor('return process')().pid`,
    'the constructor of its input': `return input.constructor.constructor('return process')().pid`,
    'the constructor of a function': `return echo.constructor('return process')().pid`,
    'the constructor of a result': `return (await echo({})).constructor.constructor('return process')().pid`,
    'the constructor of a fault': `try { null.x } catch (e) { return e.constructor.constructor('return process')().pid }`,
    'the console': `return console.log.constructor('return process')().pid`,
    'the stack': `Error.prepareStackTrace = (_, sites) => sites.map((s) => s.getThis() ?? s.getFunction()); const [a] = new Error().stack; return a.constructor.constructor('return process')().pid`,
    'the caller': `return (function f() { return f.caller.caller.arguments[0] })().constructor('return process')().pid`,
    'an import': `return (await import('node:process')).pid`,
    'an eval': `return (0, eval)('process').pid`,
    'an async function': `return await Object.getPrototypeOf(async () => {}).constructor('return process')().then((p) => p.pid)`,
    'a generator': `return Object.getPrototypeOf(function* () {}).constructor('yield process')().next().value.pid`,
    'the end of its own function': `}); globalThis.got = typeof process; (function () { return process.pid`,
  };
  for (const [way, code] of Object.entries(ways)) {
    test(`through ${way}`, async () => assert.equal(await outcomeOf(code), 'skill.failed'));
  }

  test('in the stack of a fault that a function threw', async () => {
    const code = `
      Error.prepareStackTrace = (error, sites) => sites.map((s) => String(s.getFunction()) + String(s.getThis())).join();
      try { await echo(1n) } catch (error) { return error.stack }`;
    assert.doesNotMatch(JSON.stringify(await outcomeOf(code)), /post|native code/);
  });
});

describe('a snippet that meddles with the language', () => {
  const harmless: Readonly<Record<string, readonly [code: string, value: Json]>> = {
    'has its own JSON': [
      'JSON.stringify = () => "[1"; JSON.parse = () => 0; return [input, await echo(5)]',
      [{ a: 1 }, 5],
    ],
    'has its own promises': ['Promise.prototype.then = () => {}; globalThis.Promise = 1; return 1', 1],
    'has its own slices': [
      'String.prototype.slice = () => "x"; String.prototype.concat = null; return "y"',
      'y',
    ],
    'catches every set': [
      'Object.defineProperty(Object.prototype, 0, { set() { throw 1 } }); Object.defineProperty(Object.prototype, "resolve", { get() { throw 1 } }); return echo(2)',
      2,
    ],
    'returns a thenable': ['return { then(resolve) { resolve({ then(resolve) { resolve(3) } }) } }', 3],
    'has its own toJSON': ['Object.prototype.toJSON = function () { return "mine" }; return {}', 'mine'],
    'makes every object a thenable': [
      'Object.prototype.then = function (resolve) { resolve(4) }; return {}',
      4,
    ],
    'reads what it was given slowly': ['return new Proxy([1], { get: (t, k) => t[k] })', [1]],
  };
  for (const [what, [code, value]] of Object.entries(harmless)) {
    test(what, async () => assert.deepEqual(await outcomeOf(code), value));
  }

  const hurtful: Readonly<Record<string, string>> = {
    'throws what cannot be shown': 'throw { toString() { throw 1 }, get stack() { throw 2 } }',
    'throws a proxy':
      'throw new Proxy({}, { get() { throw 3 }, getPrototypeOf() { throw 4 }, has() { throw 5 } })',
    'throws nothing': 'throw undefined',
    'has a stack of a million characters':
      'const e = new Error("x".repeat(1e6)); e.stack = "snippet:1:1".repeat(1e5); throw e',
    'has no end': 'return (function f() { return f() })()',
    'has a getter that throws': 'return { get a() { throw new Error("a") } }',
    'rejects with a thenable': 'return { then(_, reject) { reject({ then() {} }) } }',
    'breaks the array of its arguments': 'Array.prototype.toJSON = () => ({}); return echo(1)',
    'gives no arguments': 'Array.prototype.toJSON = () => undefined; return echo(1)',
  };
  for (const [what, code] of Object.entries(hurtful)) {
    test(what, async () => assert.equal(await outcomeOf(code), 'skill.failed'));
  }
});

describe('a snippet that takes too much', () => {
  const bombs: Readonly<Record<string, readonly [code: string, ...codes: string[]]>> = {
    'time in a loop': ['while (true);', 'limit.time'],
    'time in a loop after a call': ['await echo(1); while (true);', 'limit.time'],
    'time in a loop without end of promises': [
      'const again = () => Promise.resolve().then(again); return again()',
      'limit.time',
      'limit.too-large',
    ],
    'time in an expression': ['return /^(a+)+$/.test("a".repeat(50) + "b")', 'limit.time'],
    'time in its reading': ['return JSON.stringify({ toJSON() { while (true); } })', 'limit.time'],
    'time in showing what it threw': ['throw { toString() { while (true); } }', 'limit.time'],
    'a sleep': ['Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)', 'skill.failed'],
    'time in one operation': ['return String(3n ** (2n ** 24n)).length', 'limit.time', 'limit.too-large'],
    'time before it begins': ['})(); while (true); (function () {', 'limit.time'],
    'memory in arrays': ['const a = []; while (true) a.push(new Array(1000).fill(1.5))', 'limit.too-large'],
    'memory in objects': ['const a = []; while (true) a.push({ a })', 'limit.too-large'],
    'memory in texts': [
      'const a = []; while (true) a.push(String(a.length).repeat(1000).split("").reverse().join(""))',
      'limit.too-large',
      'limit.time',
    ],
    'memory in buffers': [
      'const a = []; while (true) a.push(new Uint8Array(1e6).fill(1))',
      'skill.failed',
      'limit.too-large',
    ],
    'memory in buffers that grow': [
      'const b = new ArrayBuffer(8, { maxByteLength: 2 ** 31 }); b.resize(2 ** 30); new Uint8Array(b).fill(7); return 1',
      'limit.too-large',
    ],
    'memory in shared buffers': [
      'const b = new SharedArrayBuffer(8, { maxByteLength: 2 ** 31 }); b.grow(2 ** 30); new Uint8Array(b).fill(7); return 1',
      'skill.failed',
    ],
    'memory in WebAssembly': [
      'const m = new WebAssembly.Memory({ initial: 10_000 }); new Uint8Array(m.buffer).fill(7); return 1',
      'skill.failed',
    ],
    'memory at one stroke': [
      'return new Array(2 ** 27).fill(1).map(() => ({})).length',
      'limit.too-large',
      'limit.time',
      'skill.failed',
    ],
    'memory in its value': [
      'return Array(2 ** 20).fill("x".repeat(1000))',
      'limit.too-large',
      'skill.failed',
    ],
    'time in its log': ['while (true) console.log("x".repeat(1e6))', 'limit.time'],
  };
  for (const [what, [code, ...codes]] of Object.entries(bombs)) {
    const limits = what.startsWith('time')
      ? { timeoutMs: 100 }
      : { timeoutMs: 60_000, memoryBytes: 8 * 2 ** 20 };
    test(what, async () => {
      const outcome = await outcomeOf(code, limits);
      assert.ok(codes.includes(outcome as string), JSON.stringify(outcome));
      await mustStillRun();
    });
  }
});

test('no mixture of such code gets through', async () => {
  const pieces = [
    ...[
      'this',
      'globalThis',
      'input',
      'echo',
      'console',
      'Error',
      'Promise',
      'JSON',
      'Reflect',
      '[]',
      '{}',
      '1n',
      'null',
    ],
    ...[
      '.constructor',
      '.__proto__',
      '.prototype',
      '.then',
      '["constructor"]',
      '.call',
      '(',
      ')',
      '()',
      '{',
      '}',
      ';',
      ',',
    ],
    ...[
      'await ',
      'return ',
      'throw ',
      'new ',
      'delete ',
      'typeof ',
      'function ',
      '=> ',
      ' = ',
      '\n',
      '`',
      '${',
      '/*',
      '//',
    ],
    ...[
      '"return process"',
      'import("fs")',
      'Symbol.species',
      'Proxy',
      'while (true)',
      '"\\u0000"',
      '\u2028',
      '<!--',
      '#!',
    ],
  ];
  const code = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''));
  const property = fc.asyncProperty(code, async (text) => {
    const outcome = JSON.stringify(await outcomeOf(text, { timeoutMs: 200 }));
    assert.doesNotMatch(outcome, /"pid"|node_modules|versions/);
  });
  await fc.assert(property, { numRuns: size({ small: 150, full: 5000 }) });
  await mustStillRun();
});
