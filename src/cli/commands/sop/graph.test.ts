import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { call, documentOf, errorIn, leaveHome } from '../../../../test/support/command.ts';
import { planFiles, sopIn } from '../../../../test/support/plan-files.ts';
import { checkSop } from '../../../engines/sop/check/check-sop.ts';
import { widthOf } from '../../output/text.ts';
import { buildGraph, drawGraph, mermaidOf, type SopGraph } from './graph.ts';

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
      err: '3 steps in 2 waves; each step starts as soon as its inputs are ready.\n',
    });
  });

  test('draws a plan with errors as far as it can, tells them on stderr and ends with 3', async () => {
    using files = planFiles();
    const { code, out, err } = await sopIn(files, 'graph', 'broken.sop');
    assert.equal(code, 3);
    assert.match(out, /^1 ┬ c +ask-usr$/m);
    assert.match(out, /^↻ ┬ a +frobnicate +← b$/m);
    assert.equal(err.match(/^broken\.sop:\d+:\d+: error: /gm)?.length, 5);
    assert.match(err, /^4 steps; 2 cannot start because of a cycle\.$/m);
    const nothing = await call(['sop', 'graph', '--cwd', files.path, files.write('empty.sop', '')]);
    assert.deepEqual([nothing.code, nothing.out], [0, '']);
    assert.match(nothing.err, /:1:1: warning: /);
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

function graphOf(script: string): SopGraph {
  return buildGraph(checkSop(script, [], { hasInput: true }).steps);
}

function wavesIn({ nodes }: SopGraph): Readonly<Record<string, number | undefined>> {
  return Object.fromEntries(nodes.map(({ name, wave }) => [name, wave]));
}

describe('the graph of a plan', () => {
  test('has an edge for each way in which a variable is used, once', () => {
    const { edges } = graphOf('@l assign x\n@a each $l.list mail $l $item $l.0 $index when not $l');
    assert.deepEqual(edges, [
      { from: 'l', to: 'a', kind: 'list' },
      { from: 'l', to: 'a', kind: 'value' },
      { from: 'l', to: 'a', kind: 'guard', isNegated: true },
    ]);
  });

  test('takes the longest name that is declared', () => {
    const { edges } = graphOf('@a.b assign x\n@a assign y\n@c assign $a.b.c $a.d');
    assert.deepEqual(
      edges.map(({ from }) => from),
      ['a.b', 'a'],
    );
  });

  test('puts a step one wave after the latest that it uses, whatever the order of the lines', () => {
    const graph = graphOf('@last final_answer $b $a\n@b assign $a\n@a assign x\n@alone assign y');
    assert.deepEqual(wavesIn(graph), { last: 3, b: 2, a: 1, alone: 1 });
  });

  test('knows the supplied input, and what no one declares', () => {
    const { nodes } = graphOf('@a assign $input.day $nope.x');
    assert.deepEqual(
      nodes.map(({ name, kind, wave }) => [name, kind, wave]),
      [
        ['input', 'input', 0],
        ['nope.x', 'missing', 0],
        ['a', 'step', 1],
      ],
    );
    assert.equal(graphOf('@input assign x\n@a assign $input').nodes[0]?.kind, 'step');
  });

  test('$item of a step that is not an each is not declared', () => {
    assert.deepEqual(wavesIn(graphOf('@a assign $item')), { item: 0, a: 1 });
  });

  test('leaves steps in a cycle and it without a wave', () => {
    const graph = graphOf('@a assign $b\n@b assign $a\n@c assign $b\n@d assign x\n@e assign $e');
    assert.deepEqual(wavesIn(graph), { a: undefined, b: undefined, c: undefined, d: 1, e: undefined });
  });

  test('of two declarations the first counts', () => {
    const { nodes, edges } = graphOf('@a assign x\n@a upper $a\n@b assign $a');
    assert.deepEqual(
      nodes.map(({ name, command, line }) => [name, command, line]),
      [
        ['a', 'assign', 1],
        ['b', 'assign', 3],
      ],
    );
    assert.equal(edges.length, 1);
  });

  test('of 10,000 steps that all use one is no matter', () => {
    const steps = Array.from({ length: 9_999 }, (_, index) => `@s${index} assign $all`);
    const graph = graphOf(`@all assign x\n${steps.join('\n')}`);
    assert.equal(graph.nodes.at(-1)?.wave, 2);
    assert.equal(graph.edges.length, 9_999);
  });
});

function draw(script: string, width?: number): string {
  return drawGraph(buildGraph(checkSop(script, [], { hasInput: true }).steps), width).join('\n');
}

describe('a drawn plan', () => {
  test('shows who can begin together, and what each waits for', () => {
    const script = `@orders  table-orders
@rates   fetch-rates $input
@draft   ask-user
@summary summarise $orders $rates
@mails   each $orders mail $item $summary when not $draft
@last    final_answer $mails
`;
    assert.equal(
      draw(script),
      `0 ─ input    (supplied)
  ↓
1 ┬ orders   table-orders
  ├ rates    fetch-rates   ← input
  └ draft    ask-user
  ↓
2 ─ summary  summarise     ← orders, rates
  ↓
3 ─ mails    mail ×        ← each orders, summary, when not draft
  ↓
4 ─ last     final_answer  ← mails`,
    );
  });

  test('sets apart what has no result', () => {
    assert.equal(
      draw('@a upper $b\n@b upper $a\n@c upper $nope'),
      `0 ─ nope  (not declared)
  ↓
1 ─ c     upper           ← nope

↻ ┬ a     upper           ← b
  └ b     upper           ← a`,
    );
  });

  const many = Array.from({ length: 30 }, (_, index) => `@variable-${index} assign x`);
  const wide = `${many.join('\n')}
@all list ${many.map((_, index) => `$variable-${index}`).join(' ')}
@${'long-'.repeat(30)}name ${'far-'.repeat(20)}away $all`;

  for (const width of [20, 40, 80, 200]) {
    test(`keeps to a terminal of ${width} columns`, () => {
      const lines = draw(wide, width).split('\n');
      assert.deepEqual(
        lines.filter((line) => widthOf(line) > width),
        [],
      );
    });
  }

  test('a short column leaves its room to the other one', () => {
    assert.equal(
      draw('@a assign x\n@l assign $a\n@z final_answer $a', 40),
      `1 ─ a  assign
  ↓
2 ┬ l  assign        ← a
  └ z  final_answer  ← a`,
    );
  });

  test('loses nothing in a pipe, and continues in further lines', () => {
    const drawn = draw(wide);
    assert.match(drawn, /long-name/);
    assert.match(drawn, /far-away +← all$/m);
    const list = drawn.split('\n').filter((line) => /(?:← | {9})variable-\d/.test(line));
    const needs = list.flatMap((line) => line.match(/variable-\d+/g) ?? []);
    assert.deepEqual(
      needs,
      many.map((_, index) => `variable-${index}`),
    );
    assert.ok(list.length > 5 && list.every((line) => line.length <= 80));
  });

  test('is not steered by names', () => {
    assert.equal(
      draw('@a\u001b[31m\u202eb assign $x\u001b[2J'),
      '0 ─ x    (not declared)\n  ↓\n1 ─ a b  assign          ← x',
    );
  });
});

function mermaid(script: string): string {
  return mermaidOf(buildGraph(checkSop(script, [], { hasInput: true }).steps));
}

describe('a plan as a Mermaid flowchart', () => {
  test('has boxes for steps, arrows for values, dotted ones for guards', () => {
    assert.equal(
      mermaid(`@list   assign $input
@each   each $list mail when $list
@not    assign $nope when not $each
`),
      `flowchart TD
  v1(["input"])
  v2(["nope<br/>not declared"])
  v3["list<br/>assign"]
  v4[["each<br/>mail"]]
  v5["not<br/>assign"]
  v1 --> v3
  v3 -->|each| v4
  v3 -.->|when| v4
  v2 --> v5
  v4 -.->|when not| v5
`,
    );
  });

  test('nothing in a name gets out of its label', () => {
    const odd =
      '@a"];click<b>`**x**`#quot;%%{init}%%|end c"]-->d&amp;\n@end subgraph $a"];click<b>`**x**`#quot;%%{init}%%|end';
    const lines = mermaid(odd).trimEnd().split('\n');
    const allowed =
      /^ {2}v\d+(?:\["(?:[\p{L}\p{N} _.,/$-]|#\d+;)*<br\/>(?:[\p{L}\p{N} _.,/$-]|#\d+;)*"\]| --> v\d+)$/u;
    assert.deepEqual(
      lines.slice(1).filter((line) => !allowed.test(line)),
      [],
    );
    assert.match(lines[1] ?? '', /^ {2}v1\["a#34;#93;#59;click#60;b#62;/);
    assert.equal(lines.length, 4);
  });
});
