import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { openChecks } from '../../../test/support/check-stage.ts';
import { readFileSync } from 'node:fs';
import { checkTypes } from './check-types.ts';
import { findCompiler } from './compiler.ts';
import { printFault } from './fault.ts';

const core = ['code-scope', 'output', 'error', 'error-code', 'json', 'model', 'optional'];

test(
  'the scope that generated code is checked with is the one that it gets',
  { skip: withoutBubblewrap },
  async () => {
    const own = core.map((name): [string, string] => [
      `src/core/${name}.ts`,
      readFileSync(new URL(`../../core/${name}.ts`, import.meta.url), 'utf8'),
    ]);
    await using stage = await openChecks({
      ...Object.fromEntries(own),
      'src/both.ts': [
        "import type { CodeScope as Declared } from 'skilled';",
        "import type { CodeScope as Real } from './core/code-scope.ts';",
        'type Same<A, B> = [keyof A, keyof B] extends [keyof B, keyof A] ? true : false;',
        'export const hasSameNames: Same<Declared, Real> = true;',
        'export const toReal = (scope: Declared): Omit<Real, "call"> => scope;',
        'export const toDeclared = (scope: Real): Declared => scope;',
      ].join('\n'),
    });
    const compiler = findCompiler();
    assert.ok(compiler !== undefined);
    const faults = await checkTypes(stage.place, compiler, ['src/both.ts'], 60_000);
    assert.deepEqual(faults.map(printFault), []);
  },
);
