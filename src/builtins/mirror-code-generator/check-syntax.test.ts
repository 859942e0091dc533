import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { openChecks } from '../../../test/support/check-stage.ts';
import { checkSyntax } from './check-syntax.ts';
import { printFault } from './fault.ts';

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
    assert.deepEqual(await checkSyntax(stage.place, Object.keys(good), minute), []);
  });

  test('that is wrong is told with file and line, also what only a compiler could make into code', async () => {
    await using stage = await openChecks(bad);
    const faults = await checkSyntax(stage.place, Object.keys(bad), minute);
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
    const faults = await checkSyntax(stage.place, ['src/a.mjs'], 1);
    assert.match(faults[0]?.message ?? '', /The check of the syntax was stopped after 1 second\./);
  });
});
