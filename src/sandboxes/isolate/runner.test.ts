import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { AgentError } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';
import type { Snippet, SnippetResult } from '../../core/code.ts';
import { createIsolates } from './runner.ts';

const never = new AbortController().signal;
const runner = createIsolates();
after(() => runner.close());

function run(code: string, more: Partial<Snippet> = {}): Promise<SnippetResult> {
  return runner.run({ code, input: null, ...more }, never);
}

async function valueOf(code: string, more: Partial<Snippet> = {}): Promise<Json> {
  return (await run(code, more)).value;
}

async function faultOf(code: string, more: Partial<Snippet> = {}): Promise<AgentError> {
  return run(code, more).then(
    ({ value }) => assert.fail(`It came to ${JSON.stringify(value)}.`),
    (error: unknown) => error as AgentError,
  );
}

describe('the value of a snippet', () => {
  test('is what it returns, from its input', async () => {
    const input = { list: [1, 2, { deep: 'ä\u2028💚' }], none: null };
    assert.deepEqual(await valueOf('return input', { input }), input);
    assert.equal(await valueOf('const [a, b] = input.list; return a + b', { input }), 3);
    assert.equal(
      await valueOf('return await Promise.resolve(input) // a comment at its end', { input: 7 }),
      7,
    );
  });

  test('is null when it returns nothing', async () => {
    assert.deepEqual(await run('input + 1'), { value: null, isEmpty: true, log: '' });
    assert.deepEqual(await run(''), { value: null, isEmpty: true, log: '' });
    assert.deepEqual(await run('return null'), { value: null, log: '' });
  });

  test('is JSON and nothing else', async () => {
    for (const code of [
      'return () => 1',
      'return Symbol()',
      'return 1n',
      'const a = {}; a.a = a; return a',
      'return { toJSON() { return undefined } }',
      'let deep = 1; for (let i = 0; i < 100; i++) deep = [deep]; return deep',
    ]) {
      assert.equal((await faultOf(code)).code, 'skill.failed', code);
    }
    assert.match((await faultOf('return () => 1')).message, /returned a function, which is not JSON/);
    assert.deepEqual(await valueOf('return JSON.parse(\'{"__proto__": {"a": 1}, "b": 2}\')'), { b: 2 });
  });

  test('has a maximum number of characters', async () => {
    assert.equal(await valueOf('return "x".repeat(98)', { maxOutput: 100 }), 'x'.repeat(98));
    const fault = await faultOf('return "x".repeat(99)', { maxOutput: 100 });
    assert.equal(fault.code, 'limit.too-large');
    assert.match(fault.message, /101 characters of JSON.*limit is 100\./);
    const quotes = '"'.repeat(200_000);
    assert.equal(await valueOf('return input', { input: quotes }), quotes);
  });
});

describe('the log of a snippet', () => {
  test('is what it writes to its console', async () => {
    const { log } = await run(
      'console.log("a", 1, { b: [null] }); console.error(new Error("c")); console.warn()',
    );
    assert.equal(log, 'a 1 {"b":[null]}\nError: c\n\n');
  });

  test('is cut where it is too long', async () => {
    const { log, value } = await run('for (let i = 0; i < 1e5; i++) console.log("\\u0000"); return 1', {
      maxOutput: 100,
    });
    assert.equal(value, 1);
    assert.equal(log, `${'\0\n'.repeat(50)}\n[the rest of the log was left out]\n`);
  });

  test('is kept when the snippet fails', async () => {
    assert.deepEqual((await faultOf('console.log("so far"); throw new Error("no")')).details, {
      log: 'so far\n',
    });
  });
});

describe('a snippet that fails', () => {
  test('says what and in which line', async () => {
    const { code, message, hint } = await faultOf('const a = null\n\nreturn a.b');
    assert.equal(code, 'skill.failed');
    assert.equal(
      message,
      "The snippet failed in line 3: TypeError: Cannot read properties of null (reading 'b')",
    );
    assert.match(hint ?? '', /^Fix the code\./);
    assert.match((await faultOf('throw "a word"')).message, /^The snippet failed: a word$/);
    assert.match((await faultOf('await 0;\nthrow new Error("later")')).message, /in line 2: Error: later/);
  });

  test('says where it cannot be read', async () => {
    assert.equal(
      (await faultOf('const a = 1\nconst b = }')).message,
      "The snippet has a syntax error in line 2: Unexpected token '}'",
    );
    assert.match((await faultOf('return [1,\n')).message, /in line 2/);
    assert.match((await faultOf('import fs from "fs"')).message, /in line 1: Cannot use import statement/);
  });

  test('tells nothing of its host', async () => {
    for (const code of [
      'throw new Error("x")',
      'await broken()',
      'x(',
      'null.x',
      'await import("node:fs")',
    ]) {
      const { message, details } = await faultOf(
        `try { ${code} } catch (error) { console.log(error.stack); throw error }`,
        {
          functions: { broken: () => assert.fail('broken') },
        },
      );
      assert.doesNotMatch(
        `${message} ${JSON.stringify(details)}`,
        /node_modules|file:|\/(?:src|work|home|tmp)\b/,
        code,
      );
    }
  });

  test('leaves rejections alone as it likes', async () => {
    assert.equal(await valueOf('Promise.reject(new SyntaxError("nobody")); await 0; return 1'), 1);
  });

  test('that waits for nothing does not wait', async () => {
    const fault = await faultOf('await new Promise(() => {})', { timeoutMs: 600_000 });
    assert.equal(fault.message, 'The snippet waits for a promise that never settles.');
  });
});

describe('the functions of a snippet', () => {
  test('are called by name, with JSON', async () => {
    const functions = {
      add: (...numbers: Json[]) => (numbers as number[]).reduce((sum, next) => sum + next, 0),
      later: async (given: Json) => {
        await wait(1);
        return { given };
      },
      nothing: () => undefined as unknown as Json,
    };
    const code = 'return [await add(1, 2, 3), await later([input]), await nothing(), typeof nowhere]';
    assert.deepEqual(await valueOf(code, { input: 5, functions }), [6, { given: [5] }, null, 'undefined']);
  });

  test('run beside each other', async () => {
    const { promise, resolve } = Promise.withResolvers<Json>();
    const functions = { wait: () => promise, go: () => (resolve('gone'), 'went') };
    assert.deepEqual(await valueOf('return Promise.all([wait(), wait(), go()])', { functions }), [
      'gone',
      'gone',
      'went',
    ]);
    const many = { double: (one: Json) => (one as number) * 2 };
    const code =
      'const all = await Promise.all(Array.from({ length: 500 }, (_, i) => double(i))); return all[499]';
    assert.equal(await valueOf(code, { functions: many }), 998);
  });

  test('that throw give their words and the line of the call, and may be caught', async () => {
    const functions = {
      broken: () => {
        throw new Error('There is no such page.');
      },
    };
    assert.equal(
      await valueOf('try { await broken() } catch (e) { return e.message }', { functions }),
      'There is no such page.',
    );
    assert.match(
      (await faultOf('\nawait broken()', { functions })).message,
      /in line 2: Error: There is no such page/,
    );
  });

  test('take no time of the snippet that waits for them', async () => {
    const functions = { slow: () => wait(1_500, 'there') };
    const code = 'return await slow()';
    assert.equal(await valueOf(code, { functions, timeoutMs: 1_000 }), 'there');
    const fault = await faultOf('await slow(); while (true);', { functions, timeoutMs: 1_000 });
    assert.equal(fault.code, 'limit.time');
  });

  test('that return no JSON fail', async () => {
    const functions = { bad: () => (() => 1) as unknown as Json, big: () => 1n as unknown as Json };
    for (const name of ['bad', 'big'])
      assert.equal((await faultOf(`return ${name}()`, { functions })).code, 'skill.failed');
  });

  test('are called so often and with so much at most', async () => {
    let calls = 0;
    const functions = { count: () => (calls += 1) };
    const flood =
      'const all = []; for (let i = 0; i < 20_000; i++) all.push(count()); await Promise.allSettled(all); return count()';
    assert.match((await faultOf(flood, { functions })).message, /more than 10000 times/);
    assert.equal(calls, 10_000);
    const large = { functions, maxOutput: 1000 };
    assert.match(
      (await faultOf('return count("x".repeat(1000))', large)).message,
      /more than 1000 characters/,
    );
    const much =
      'const all = []; for (let i = 0; i < 9; i++) all.push(count("x".repeat(900))); return Promise.all(all)';
    assert.match((await faultOf(much, large)).message, /await earlier calls/);
    const slowly = 'for (let i = 0; i < 9; i++) await count("x".repeat(900)); return true';
    assert.equal(await valueOf(slowly, large), true);
    const endless = 'for (;;) await count("x".repeat(900))';
    assert.match((await faultOf(endless, large)).message, /more than 64000 characters in all/);
  });

  test('have names that can be called', async () => {
    for (const name of ['a-b', '1a', '', 'input', 'constructor']) {
      assert.equal((await faultOf('', { functions: { [name]: () => 1 } })).code, 'usage.bad-input', name);
    }
  });

  test('may run snippets, however deep', async () => {
    const dig = async (depth: Json): Promise<Json> =>
      depth === 0
        ? 'ground'
        : valueOf('return dig(input)', { input: (depth as number) - 1, functions: { dig } });
    const all = await Promise.all(Array.from({ length: 8 }, () => dig(2)));
    assert.deepEqual(all, Array(8).fill('ground'));
  });
});

describe('snippets', () => {
  test('share nothing', async () => {
    await valueOf('globalThis.left = 1; Object.prototype.left = 2; Array.prototype.map = null');
    assert.deepEqual(await valueOf('return [typeof left, typeof {}.left, typeof [].map]'), [
      'undefined',
      'undefined',
      'function',
    ]);
  });

  test('read the clock of no place', async () => {
    assert.equal(
      await valueOf(
        'return new Date(0).getTimezoneOffset() + Intl.DateTimeFormat().resolvedOptions().timeZone',
      ),
      '0UTC',
    );
  });
});
