import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkSop } from '../../../engines/sop/check/check-sop.ts';
import { buildGraph, type SopGraph } from './build-graph.ts';

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

  test('puts a step one wave behind the latest that it uses, whatever the order of the lines', () => {
    const graph = graphOf('@last final_answer $b $a\n@b assign $a\n@a assign x\n@alone assign y');
    assert.deepEqual(wavesIn(graph), { last: 3, b: 2, a: 1, alone: 1 });
  });

  test('knows the supplied input, and what nobody declares', () => {
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

  test('$item of a step that is no each is not declared', () => {
    assert.deepEqual(wavesIn(graphOf('@a assign $item')), { item: 0, a: 1 });
  });

  test('leaves steps in a cycle and behind it without a wave', () => {
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
