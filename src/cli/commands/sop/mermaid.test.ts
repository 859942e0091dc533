import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkSop } from '../../../engines/sop/check/check-sop.ts';
import { buildGraph } from './build-graph.ts';
import { mermaidOf } from './mermaid.ts';

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
