import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { dynamicCodeStage, inCode } from '../../../test/support/dynamic-code-stage.ts';
import { tree } from '../../../test/support/tree.ts';
import type { Json } from '../../core/json.ts';

const codes: string[] = [];
const stage = dynamicCodeStage(() => inCode(codes.shift() ?? ''));
after(() => stage[Symbol.asyncDispose]());

/** Returns the values of snippets that run one after the other in one process. */
async function valuesOf(...written: readonly string[]): Promise<readonly (Json | undefined)[]> {
  const values: (Json | undefined)[] = [];
  for (const code of written) {
    codes.push(code);
    const { result } = await stage.ask();
    values.push(result.value ?? result.text);
  }
  return values;
}

describe('code that wants more than it was given', () => {
  const reaching: Readonly<Record<string, string>> = {
    'the process by a constructor': 'this.constructor.constructor("return process")()',
    'the process by an arrow': '(() => {}).constructor("return process")()',
    'the process by the input': 'input.constructor.constructor("return process")()',
    'the process by the console': 'console.log.constructor("return process")()',
    'a module by import': 'await import("node:fs")',
    'a module by require': 'require("node:fs")',
    'a module by the loader': 'process.getBuiltinModule("node:fs")',
    'another thread': 'new Worker("data:text/javascript,1")',
    'the network': 'await fetch("http://127.0.0.1:1")',
    'a timer': 'await new Promise((go) => setTimeout(go, 1))',
    'shared memory': 'new SharedArrayBuffer(8)',
    'another engine': 'new WebAssembly.Memory({ initial: 1 })',
  };
  for (const [what, code] of Object.entries(reaching)) {
    test(`finds nothing: ${what}`, async () => {
      const taken = `try { return ["got", typeof (${code})] } catch (error) { return ["nothing", error.name] }`;
      const [got] = await valuesOf(taken);
      assert.equal((got as readonly string[])[0], 'nothing', JSON.stringify(got));
    });
  }

  test('writes no file', async () => {
    using files = tree();
    const path = JSON.stringify(files.at('made'));
    const write = `this.constructor.constructor("return process")().getBuiltinModule("fs").writeFileSync(${path}, "x")`;
    codes.push(write, write.replace('"x"', '"y"'));
    assert.equal((await stage.ask()).result.error?.code, 'skill.failed');
    assert.equal(existsSync(files.at('made')), false);
  });

  test('changes nothing for the next one', async () => {
    const edits = `globalThis.left = 1; Object.prototype.left = 2; Array.prototype.map = null; JSON.stringify = () => '"mine"';
Promise.prototype.then = null; delete globalThis.console; return "edited"`;
    const looks =
      'return [typeof left, typeof {}.left, typeof [].map, JSON.stringify(1), typeof Promise.prototype.then, typeof console]';
    const [one, other] = await valuesOf(edits, looks);
    assert.equal(one, 'edited');
    assert.deepEqual(other, ['undefined', 'undefined', 'function', '1', 'function', 'object']);
    assert.equal(({} as { left?: unknown }).left, undefined);
  });

  test('pollutes no prototype with its value', async () => {
    const [value] = await valuesOf('return JSON.parse(\'{"__proto__": {"polluted": true}, "a": 1}\')');
    assert.deepEqual(value, { a: 1 });
    assert.ok(!('polluted' in {}));
  });
});
