import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { finished } from '../../../test/support/deadline.ts';
import { parsePlainYaml } from './plain-yaml.ts';
import { defaultFrontmatterLimits as limits, parseYaml } from './yaml.ts';

const keys = [
  'name',
  'description',
  'metadata',
  'a',
  'b_c',
  'd-e',
  'null',
  '__proto__',
  'constructor',
  'y',
  'é',
  '1',
  '',
];
const values = [
  ...[
    '',
    ' ',
    'text',
    ' text',
    ' two words',
    ' text  ',
    ' a: b',
    ' a:',
    ' a #c',
    ' a#c',
    ' #c',
    ' null',
    ' Null',
    ' ~',
    ' NULL ',
  ],
  ...[
    ' "quoted"',
    ' "a \\" b"',
    ' "open',
    ' "" ',
    " 'single'",
    " 'it''s'",
    ' "x" y',
    ' [a, b]',
    ' {a: b}',
    ' - a',
    ' |',
    ' >-',
    ' &x',
    ' *x',
    ' !t',
  ],
  ...[
    ' 1.10',
    ' 2024-01-01',
    ' no',
    ' é',
    ' 日本',
    ' 😀',
    ' a\tb',
    '\ttab',
    ' a\u0085b',
    ' a\u2028b',
    ' a\ufeffb',
    ' a\u0007',
    ' \u00a0',
    ' a\u00a0 ',
    ' ---',
    ' ...',
  ],
];
const json = fc
  .oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.dictionary(
      fc.constantFrom('a', 'b', '__proto__', '', 'x: y', 'é #', '😀'),
      fc.jsonValue({ maxDepth: 2 }),
    ),
  )
  .chain((value) =>
    fc.constantFrom(JSON.stringify(value), JSON.stringify(value, undefined, 1).replace(/\n */g, ' ')),
  );
const flows = fc
  .tuple(
    json,
    fc.constantFrom('', ' ', ' # c', ' x', ','),
    fc.constantFrom('', '{"a":1,"a":2}', '{"a": [1e3, -1, 1.0]}', '[01]'),
  )
  .map(([text, end, instead]) => ` ${instead === '' ? text : instead}${end}`);
const lineOf = fc
  .tuple(
    fc.constantFrom('', '  ', ' ', '    ', '\t'),
    fc.constantFrom(...keys),
    fc.constantFrom(':', ' :', '', '::'),
    fc.constantFrom(...values),
  )
  .map((parts) => parts.join(''));
const common = fc
  .tuple(
    fc.constantFrom('', '  '),
    fc.constantFrom(...keys),
    fc.constant(':'),
    fc.oneof(fc.constantFrom(...values), flows),
  )
  .map((parts) => parts.join(''));
const odd = fc.constantFrom(
  '',
  '# comment',
  '- item',
  '---',
  '...',
  'text',
  '  text',
  '<<: x',
  '? a',
  '%YAML 1.2',
);
const heads = fc
  .tuple(
    fc.array(fc.oneof({ weight: 8, arbitrary: common }, { weight: 2, arbitrary: lineOf }, odd), {
      maxLength: 6,
    }),
    fc.constantFrom('', '\n', '\n\n'),
  )
  .map(([lines, end]) => lines.join('\n') + end);

describe('the fast path for plain frontmatter', () => {
  test('says exactly what the YAML parser says, or nothing', () => {
    let answered = 0;
    fc.assert(
      fc.property(fc.oneof(heads, fc.string({ maxLength: 40 })), (head) => {
        const fast = parsePlainYaml(head, limits);
        if (fast === undefined) return;
        answered++;
        const full = parseYaml(head, limits);
        assert.ok(full.ok);
        assert.deepEqual(fast.value, full.value);
        assert.deepEqual(fast.skipped, full.skipped);
        assert.equal(fast.keyCount, full.keyCount);
        for (const key of Object.keys(full.value)) assert.equal(fast.lineOf(key), full.lineOf(key));
      }),
      { numRuns: 20_000 },
    );
    assert.ok(answered > 500, `only ${answered} heads were plain`);
  });

  test('reads an ordinary head', () => {
    const head =
      'name: pdf-tools\ndescription: "Reads PDF files: text, tables."\nmetadata:\n  author: ann\n  version: 1.10\n';
    assert.deepEqual(parsePlainYaml(head, limits)?.value, {
      name: 'pdf-tools',
      description: 'Reads PDF files: text, tables.',
      metadata: { author: 'ann', version: '1.10' },
    });
  });

  test('takes time in proportion to spaces, wherever they are', () => {
    const spaces = ' '.repeat(1_000_000);
    const wide = { ...limits, frontmatterBytes: 2_000_000 };
    for (const head of [`a: b${spaces}\t`, `a: b${spaces}x  \n`, `a:${spaces}\t`, `a: "b"${spaces}\t`])
      finished(head.trim(), () => parsePlainYaml(head, wide));
    assert.deepEqual(parsePlainYaml(`a: b${spaces}x  \n`, wide)?.value, { a: `b${spaces}x` });
  });

  test('reads JSON in a head as YAML does: numbers and flags stay text', () => {
    const head =
      'name: x\nmetadata: {"openclaw":{"emoji":"🔌","requires":{"bins":["op"]},"n":1,"b":true,"z":null}}\n';
    assert.deepEqual(parsePlainYaml(head, limits)?.value['metadata'], {
      openclaw: { emoji: '🔌', requires: { bins: ['op'] }, n: '1', b: 'true', z: null },
    });
    assert.equal(parsePlainYaml(head, { ...limits, frontmatterDepth: 4 }), undefined);
    assert.equal(parsePlainYaml(head, { ...limits, frontmatterKeys: 8 }), undefined);
  });

  test('leaves what passes a limit to the parser, which says so', () => {
    assert.equal(parsePlainYaml('a: b\nc: d\n', { ...limits, frontmatterKeys: 1 }), undefined);
    assert.equal(parsePlainYaml('a:\n  b: c\n', { ...limits, frontmatterDepth: 1 }), undefined);
  });
});
