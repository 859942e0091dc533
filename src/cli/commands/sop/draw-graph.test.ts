import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkSop } from '../../../engines/sop/check/check-sop.ts';
import { widthOf } from '../../output/text.ts';
import { buildGraph } from './build-graph.ts';
import { drawGraph } from './draw-graph.ts';

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

  test('sets apart what comes to nothing', () => {
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

  test('loses nothing in a pipe, and goes on in further lines', () => {
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
