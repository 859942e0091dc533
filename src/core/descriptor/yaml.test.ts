import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultFrontmatterLimits as limits, parseYaml, type YamlFault, type YamlMapping } from './yaml.ts';

function read(source: string, changed: Partial<typeof limits> = {}): YamlMapping {
  const parsed = parseYaml(source, { ...limits, ...changed });
  assert.ok(parsed.ok, parsed.ok ? '' : parsed.message);
  return parsed;
}

function fault(source: string, changed: Partial<typeof limits> = {}): YamlFault {
  const parsed = parseYaml(source, { ...limits, ...changed });
  assert.ok(!parsed.ok, 'it was read');
  return parsed;
}

test('scalars stay as written', () => {
  const source =
    'a: NO\nb: 1.10\nc: 2024-01-01\nd: 0x1F\ne: 1e3\nf: true\ng: .inf\nh: 0o14\ni: 12:30:45\nj: =\n';
  assert.deepEqual(read(source).value, {
    a: 'NO',
    b: '1.10',
    c: '2024-01-01',
    d: '0x1F',
    e: '1e3',
    f: 'true',
    g: '.inf',
    h: '0o14',
    i: '12:30:45',
    j: '=',
  });
});

test('a plain null is null, a quoted one is text', () => {
  assert.deepEqual(read('a:\nb: ~\nc: null\nd: NULL\ne: "null"\nf: \'~\'\ng: ""\n').value, {
    a: null,
    b: null,
    c: null,
    d: null,
    e: 'null',
    f: '~',
    g: '',
  });
});

test('flow style, block scalars, quoted keys and comments are read', () => {
  const source = [
    '# a comment',
    '"quoted key": {x: [1, "two, three"], y: }',
    "'it''s': yes # another",
    'literal: |',
    '  one',
    '',
    '   two',
    'folded: >-',
    '  one',
    '  two',
    'spaced :  value',
  ].join('\n');
  assert.deepEqual(read(source).value, {
    'quoted key': { x: ['1', 'two, three'], y: null },
    "it's": 'yes',
    literal: 'one\n\n two\n',
    folded: 'one two',
    spaced: 'value',
  });
});

test('nothing, blanks, comments and an empty document are an empty mapping', () => {
  for (const source of ['', '\n\n', '   ', '# only a comment\n', '...', '~'])
    assert.deepEqual(read(source).value, {});
});

test('of two equal keys the first counts, at any depth, and the line of the second is reported', () => {
  const parsed = read('a: 1\nb:\n  c: 2\n  c: 3\na: 4\n');
  assert.deepEqual(parsed.value, { a: '1', b: { c: '2' } });
  assert.deepEqual(parsed.skipped, [
    { what: 'repeated', key: 'c', line: 4 },
    { what: 'repeated', key: 'a', line: 5 },
  ]);
});

test('a key without a value does not hide a later one that has it', () => {
  const parsed = read('name:\nname: real\n');
  assert.deepEqual(parsed.value, { name: 'real' });
  assert.equal(parsed.lineOf('name'), 2);
});

test('keys that reach a prototype are dropped at any depth', () => {
  const source =
    '__proto__: {polluted: yes}\na:\n  constructor: {prototype: {x: y}}\n  b: [{__proto__: 1, ok: 2}]\nprototype: 3\n';
  const parsed = read(source);
  assert.deepEqual(parsed.value, { a: { b: [{ ok: '2' }] } });
  assert.deepEqual(
    parsed.skipped.map(({ key, line }) => [key, line]),
    [
      ['__proto__', 1],
      ['prototype', 3],
      ['constructor', 3],
      ['__proto__', 4],
      ['prototype', 5],
    ],
  );
  assert.equal(Object.getPrototypeOf(parsed.value), Object.prototype);
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
});

test('keys named like members of every object are ordinary keys', () => {
  const { value } = read('toString: a\nhasOwnProperty: b\nvalueOf: c\n');
  assert.deepEqual(Object.entries(value), [
    ['toString', 'a'],
    ['hasOwnProperty', 'b'],
    ['valueOf', 'c'],
  ]);
});

test('anchors, aliases and tags are refused with their line', () => {
  assert.deepEqual(fault('a: 1\nb: &x 2\n'), {
    ok: false,
    why: 'syntax',
    message: 'anchors and aliases are not supported',
    line: 2,
  });
  assert.equal(fault('a: *x\n').why, 'syntax');
  assert.equal(fault('&k a: 1\n').message, 'anchors and aliases are not supported');
  assert.deepEqual(fault('a: 1\nb: 2\nc: !!js/function "x"\n'), {
    ok: false,
    why: 'syntax',
    message: 'tags are not supported',
    line: 3,
  });
  assert.equal(fault('!!str a: 1\n').message, 'tags are not supported');
  assert.equal(fault('a: !!binary AAAA').message, 'tags are not supported');
});

test('a merge key is dropped and reported, and overrides nothing', () => {
  const parsed = read('a: 1\n<<: {a: 2, b: 3}\nm:\n  <<: x\n  c: 4\n"<<": 5\n');
  assert.deepEqual(parsed.value, { a: '1', m: { c: '4' }, '<<': '5' });
  assert.deepEqual(
    parsed.skipped.map(({ what, line }) => [what, line]),
    [
      ['merge', 2],
      ['merge', 4],
    ],
  );
});

test('a second document is never read', () => {
  const parsed = read('a: 1\n--- # again\na: 2\nb: 3\n');
  assert.deepEqual(parsed.value, { a: '1' });
  assert.deepEqual(parsed.skipped, [{ what: 'document', key: 'a second document', line: 2 }]);
});

test('a value that is not a mapping, or has keys that are not text, is a fault', () => {
  for (const source of ['just text', '- a\n- b\n', '"text"', '[a, b]']) {
    assert.equal(fault(source).message, 'it is not a mapping of keys to values');
  }
  assert.equal(fault('{a: 1}: 2\n').message, 'a key is not plain text');
  assert.equal(fault('name: {{ template }}\n').message, 'a key is not plain text');
});

test('the lines of the outermost keys are known', () => {
  const parsed = read('# c\na: 1\n\nb:\n  a: 2\n"c d": |\n  a: 3\ne: 4\n');
  assert.deepEqual(
    ['a', 'b', 'c d', 'e', 'x'].map((key) => parsed.lineOf(key)),
    [2, 4, 6, 8, undefined],
  );
});

test('an escape that spells half a character becomes the replacement character', () => {
  assert.deepEqual(read('a: "x\\uD800y"\n').value, { a: 'x\ufffdy' });
});

test('exactly as many keys as allowed are read, one more is refused', () => {
  const keys = (count: number): string =>
    Array.from({ length: count }, (_, index) => `k${index}: {a: 1}`).join('\n');
  assert.equal(read(keys(100)).keyCount, 200);
  const refused = fault(`${keys(100)}\nlast: 1`);
  assert.deepEqual(refused, { ok: false, why: 'limit', message: 'it has more than 200 keys', line: 101 });
  assert.equal(read('a: 1\nb: 2', { frontmatterKeys: 2 }).keyCount, 2);
  assert.equal(fault('a: 1\nb: 2', { frontmatterKeys: 1 }).why, 'limit');
});

test('exactly as deep as allowed is read, one deeper is refused', () => {
  const flow = (depth: number): string => `a: ${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}`;
  const block = (depth: number): string =>
    Array.from({ length: depth }, (_, index) => `${'  '.repeat(index)}k:`).join('\n');
  assert.equal(read(flow(8)).keyCount, 1);
  assert.equal(read(block(8)).keyCount, 8);
  for (const source of [flow(9), block(9), flow(5000), block(200)]) {
    const refused = fault(source);
    assert.equal(refused.why, 'limit');
    assert.equal(refused.message, 'it is nested deeper than 8 levels');
  }
});

test('words of the parser in the text do not look like a limit', () => {
  assert.equal(fault('a: !nesting!maxDepth x').why, 'syntax');
});

test('control characters and tabs as indentation are faults', () => {
  for (const source of ['a: b\u0007', 'a: \u0000', 'a:\n\tb: c\n', 'a: \ufffe'])
    assert.equal(fault(source).why, 'syntax');
});
