import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { call, documentOf, errorIn, leaveHome } from '../../../../test/support/command.ts';
import { planFiles, sopIn } from '../../../../test/support/plan-files.ts';

leaveHome();

describe('sop graph', () => {
  test('draws who waits for whom', async () => {
    using files = planFiles();
    assert.deepEqual(await sopIn(files, 'graph', 'plan.sop'), {
      code: 0,
      out: `0 ─ input  (supplied)
  ↓
1 ─ pages  glob
  ↓
2 ┬ first  read          ← pages, when pages
  └ last   final_answer  ← input, pages
`,
      err: '3 steps in 2 waves; each starts as soon as what it waits for is there.\n',
    });
  });

  test('draws a plan with errors as far as it can, tells them on stderr and ends with 3', async () => {
    using files = planFiles();
    const { code, out, err } = await sopIn(files, 'graph', 'broken.sop');
    assert.equal(code, 3);
    assert.match(out, /^1 ┬ c +ask-usr$/m);
    assert.match(out, /^↻ ┬ a +frobnicate +← b$/m);
    assert.equal(err.match(/^broken\.sop:\d+:\d+: error: /gm)?.length, 5);
    assert.match(err, /^4 steps, of which 2 cannot start because of a cycle\.$/m);
    const nothing = await call(['sop', 'graph', '--cwd', files.path, files.write('empty.sop', '')]);
    assert.deepEqual([nothing.code, nothing.out], [3, '']);
    assert.match(nothing.err, /:1:1: error: The script has no step\./);
  });

  test('as Mermaid, and as JSON with nodes, edges and findings', async () => {
    using files = planFiles();
    assert.match(
      (await sopIn(files, 'graph', 'plan.sop', '--mermaid')).out,
      /^flowchart TD\n {2}v1\(\["input"\]\)\n/,
    );
    const document = documentOf(await sopIn(files, 'graph', 'plan.sop', '--json'));
    assert.deepEqual(Object.keys(document), ['ok', 'file', 'nodes', 'edges', 'issues']);
    const { nodes, edges } = document as { nodes: object[]; edges: object[] };
    assert.deepEqual(nodes[1], {
      name: 'pages',
      kind: 'step',
      command: 'glob',
      line: 1,
      comment: 'looks for pages',
      wave: 1,
    });
    assert.deepEqual(edges[1], { from: 'pages', to: 'first', kind: 'guard' });
    const both = await sopIn(files, 'graph', 'plan.sop', '--json', '--mermaid');
    assert.equal(errorIn(both).code, 'usage.bad-input');
  });
});
