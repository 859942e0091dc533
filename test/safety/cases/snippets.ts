import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isAgentError } from '../../../src/core/error.ts';
import { createIsolates } from '../../../src/sandboxes/isolate/runner.ts';
import { minute } from '../../support/deadline.ts';
import type { SafetyCase } from '../case.ts';
import { secrets } from '../stage.ts';

/** Expressions that could reach something on the host. */
const escapes = [
  "this.constructor.constructor('return process')()",
  "globalThis.constructor.constructor('return process')()",
  "(() => {}).constructor('return process')()",
  "(async () => {}).constructor('return process')()",
  "(function* () {}).constructor('return process')().next().value",
  "[].constructor.constructor('return process')()",
  "input.constructor.constructor('return process')()",
  "give.constructor('return process')()",
  "Object.getPrototypeOf(give).constructor('return process')()",
  "(await give()).constructor.constructor('return process')()",
  "give.call.constructor('return process')()",
  "console.log.constructor('return process')()",
  "new Error().constructor.constructor('return process')()",
  "(await give('throw').catch((error) => error)).constructor.constructor('return process')()",
  "Promise.resolve().constructor.constructor('return process')()",
  "Reflect.construct(Function, ['return process'])()",
  'process',
  'require("node:fs")',
  'module.constructor._load("node:fs")',
  'await import("node:fs")',
  'globalThis.process ?? globalThis.require ?? globalThis.ivm ?? Deno',
  '(0, eval)("process")',
  'arguments.callee.caller.constructor("return process")()',
];

/** Code that was written by a model. */
export const snippetCases: readonly SafetyCase[] = [
  {
    id: 'P29',
    what: 'generated code reaches no object of the host, and writes nothing outside',
    async run(stage) {
      stage.settle();
      const isolates = createIsolates();
      const functions = {
        give: (what?: unknown) => {
          if (what === 'throw') throw new Error('refused');
          return { given: true };
        },
      };
      const attempt = (code: string): Promise<string> =>
        isolates.run({ code, input: { text: 'x' }, functions }, AbortSignal.timeout(minute)).then(
          ({ value }) => JSON.stringify(value),
          (thrown: unknown) => {
            assert.ok(isAgentError(thrown), String(thrown));
            assert.match(thrown.code, /^(?:skill\.failed|limit\.)/, thrown.message);
            return `failed: ${thrown.message}`;
          },
        );
      try {
        assert.equal(await attempt('return (await give()).given'), 'true', 'what was given can be used');
        const target = JSON.stringify(join(stage.outside, 'PWNED'));
        for (const found of escapes) {
          const outcome = await attempt(
            `const found = await (${found}); return [typeof found, found?.pid ?? null]`,
          );
          assert.match(outcome, /^(?:failed: |\["undefined",null\])/, found);
          const read = await attempt(`return JSON.stringify((await (${found})).env)`);
          for (const value of Object.values(secrets)) assert.ok(!read.includes(value), found);
          const wrote = await attempt(`
            const host = await (${found});
            const files = host.getBuiltinModule?.('node:fs') ?? host.mainModule?.require?.('node:fs') ?? host;
            files.writeFileSync(${target}, 'x');
            return 'written'`);
          assert.match(wrote, /^failed: /, found);
        }
        for (const code of [
          "Object.prototype.polluted = 'yes'; return 1",
          "({}).__proto__.polluted = 'yes'; return 1",
          "Array.prototype.toJSON = () => 'yes'; return [1]",
          "input.__proto__.polluted = 'yes'; return input",
          'return JSON.parse(\'{"__proto__": {"polluted": "yes"}}\')',
          "return { then: (resolve) => resolve({ toJSON: () => 'odd' }) }",
        ])
          await attempt(code);
        assert.equal(await attempt('return typeof ({}).polluted'), '"undefined"', 'each has its own world');
        assert.ok(!existsSync(join(stage.outside, 'PWNED')));
      } finally {
        await isolates.close();
      }
      return undefined;
    },
  },
];
