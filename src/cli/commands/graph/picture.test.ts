import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CallEdge, CallGraph, CallNode } from '../../../agent/call-graph.ts';
import { drawTree } from './draw-text.ts';
import { focusOn, type Focus } from './focus.ts';
import { dotOf, mermaidOf, pictureOf } from './picture.ts';

function graphOf(calls: Readonly<Record<string, readonly string[]>>): CallGraph {
  const edges = Object.entries(calls).flatMap(([from, all]) => all.map((to): CallEdge => ({ from, to })));
  const nodes = Object.keys(calls).map((name): CallNode => ({
    kind: 'skill',
    name,
    family: 'x',
    source: 'project',
    status: 'ready',
  }));
  return { nodes, edges };
}

function focus(calls: Readonly<Record<string, readonly string[]>>, name: string): Focus {
  const found = focusOn(graphOf(calls), name);
  assert.ok(found !== undefined);
  return found;
}

describe('the tree of calls', () => {
  test('draws each skill once: circles and what is above are marked', () => {
    const calls = { a: ['b', 'c'], b: ['c', 'a'], c: ['d'], d: [] };
    assert.deepEqual(drawTree(focus(calls, 'a'), undefined), [
      'a  x',
      '├ b  x',
      '│ ├ c  x',
      '│ │ └ d  x',
      '│ └ a ↻',
      '└ c (above)',
    ]);
  });

  test('ends where calls would nest too deep', () => {
    const names = Array.from({ length: 100 }, (_, index) => `n${index}`);
    const lines = drawTree(
      focus(Object.fromEntries(names.map((name, index) => [name, names.slice(index + 1, index + 2)])), 'n0'),
      undefined,
    );
    assert.equal(lines.length, 34);
    assert.match(lines.at(-1) ?? '', /└ n33 …$/);
  });

  test('is not steered by names', () => {
    const [, line] = drawTree(focus({ a: ['b\u001b[31m\u202ec'], 'b\u001b[31m\u202ec': [] }, 'a'), undefined);
    assert.equal(line, '└ b c  x');
  });
});

describe('pictures of calls', () => {
  const odd = 'a"];click<b>`#quot;\\n\\"%%{&lt;|end\n}';

  test('nothing in a name gets out of a label of Mermaid', () => {
    const lines = mermaidOf(pictureOf(graphOf({ [odd]: [odd] })))
      .trimEnd()
      .split('\n');
    const allowed = /^ {2}(?:s\d+\["(?:[\p{L}\p{N} _.,/$-]|#\d+;|<br\/>)*"\]|s\d+ --> s\d+)$/u;
    assert.deepEqual(
      lines.slice(1).filter((line) => !allowed.test(line)),
      [],
    );
    assert.equal(lines.length, 3);
  });

  test('nothing in a name gets out of a label of Graphviz', () => {
    const lines = dotOf(pictureOf(graphOf({ [odd]: [odd] })))
      .trimEnd()
      .split('\n');
    assert.equal(lines.length, 6);
    const [, label = ''] = /^ {2}s1 \[label="((?:[^"\\]|\\.)*)"\];$/.exec(lines[3] ?? '') ?? [];
    const read = label.replace(/\\([^n])/g, '$1').replaceAll('&amp;', '&');
    assert.equal(read, 'a"];click<b>`#quot;\\n\\"%%{&lt;|end }\\nx');
  });
});
