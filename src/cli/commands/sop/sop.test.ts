import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { leaveHome } from '../../../../test/support/command.ts';
import { planFiles, sopIn } from '../../../../test/support/plan-files.ts';

leaveHome();

describe('sop', () => {
  test('what it is not told to do is a mistake with a next step', async () => {
    using files = planFiles();
    const rows: readonly (readonly [args: readonly string[], hint: RegExp])[] = [
      [[], /check, run or graph/],
      [['plan.sop'], /skilled sop run plan\.sop/],
      [['chekc', 'plan.sop'], /Did you mean "check"/],
      [['check'], /skilled sop check <file>/],
      [['run'], /skilled sop run <file>/],
      [['run', 'plan.sop', 'more'], /skilled sop run <file>/],
      [['graph', 'plan.sop', 'more'], /skilled sop graph <file>/],
      [['check', 'plan.sop', '--input', 'x'], /Leave it out/],
      [['run', 'plan.sop', '--mermaid'], /Leave it out/],
      [['graph', 'plan.sop', '--model', 'a/b'], /Leave it out/],
      [['run', 'plan.sop', '--stream'], /Add --json/],
      [['run', 'plan.sop', '--inptu', 'x'], /--input/],
    ];
    for (const [args, hint] of rows) {
      const { code, err } = await sopIn(files, ...args);
      assert.equal(code, 2, args.join(' '));
      assert.match(err, hint);
    }
  });
});
