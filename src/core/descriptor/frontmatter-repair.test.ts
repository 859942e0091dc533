import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFrontmatter } from './frontmatter.ts';

function read(head: string): { fields: unknown; issues: readonly string[] } {
  const parsed = parseFrontmatter(`---\n${head}\n---\nbody\n`);
  for (const issue of parsed.issues)
    assert.ok(issue.level === 'info' || issue.standard === true, issue.message);
  return {
    fields: Object.fromEntries(parsed.fields),
    issues: parsed.issues.map(
      (issue) => `${issue.code.slice(issue.code.indexOf('.') + 1)}:${issue.line ?? '-'}`,
    ),
  };
}

test('an unquoted colon in a description is read as text', () => {
  assert.deepEqual(read('name: x\ndescription: Use when: the user asks: "why"\nversion: 1.10'), {
    fields: { name: 'x', description: 'Use when: the user asks: "why"', version: '1.10' },
    issues: ['repaired:3'],
  });
});

test('a description over several lines with a colon is joined', () => {
  assert.deepEqual(read('description: Use when: asked\n  and then: some\n\n  more\nname: x').fields, {
    description: 'Use when: asked and then: some more',
    name: 'x',
  });
});

test('a line that continues without indentation belongs to its field', () => {
  assert.deepEqual(read('name: x\ndescription: first line\nsecond line, as pasted\nlicense: MIT'), {
    fields: { name: 'x', description: 'first line second line, as pasted', license: 'MIT' },
    issues: ['repaired:4'],
  });
});

test('a long sentence with a colon continues the field above it', () => {
  const { fields } = read('description: one: two\nUse this whenever the user asks for: things\nname: x');
  assert.deepEqual(fields, {
    description: 'one: two Use this whenever the user asks for: things',
    name: 'x',
  });
});

test('values that YAML would take for something else are text', () => {
  const values = [
    '{{ template }}',
    '[a] [b]',
    '*emphasis* here',
    '@mention',
    '`code` first',
    '%percent',
    '&x value',
    '!tag value',
  ];
  for (const value of [
    ...values,
    '"quoted" and more',
    "'single' and more",
    '"never closed',
    '- dash: colon',
    '!!js/function "x"',
  ]) {
    assert.deepEqual(read(`description: ${value}\nname: x`).fields, { description: value, name: 'x' }, value);
  }
});

test('anchors and aliases are read as text, each with a finding', () => {
  assert.deepEqual(read('name: &n x\ndescription: *n\nmetadata:\n  a: &b c\n  d: *b\nlist:\n  - *b'), {
    fields: { name: '&n x', description: '*n', metadata: { a: '&b c', d: '*b' }, list: ['*b'] },
    issues: ['repaired:2', 'repaired:3', 'repaired:5', 'repaired:8'],
  });
});

test('a map or list whose values need quotes stays a map or list', () => {
  assert.deepEqual(
    read(
      'name: x\nmetadata:\n  author: me: myself\n  version: 1\ntriggers:\n  - when: asked: twice\n  - plain',
    ),
    {
      fields: {
        name: 'x',
        metadata: { author: 'me: myself', version: '1' },
        triggers: [{ when: 'asked: twice' }, 'plain'],
      },
      issues: ['repaired:4', 'repaired:7'],
    },
  );
});

test('a map that cannot be repaired is text', () => {
  assert.deepEqual(read('metadata:\n  a: [b\n  c: d\nname: x').fields, { metadata: 'a: [b c: d', name: 'x' });
});

test('fields that are sound keep their values beside one that is not', () => {
  const head =
    'description: a: b\ntools: [Read, "Bash(git add *)"]\nmetadata:\n  n: 1\nflag: ~\nlong: |\n  one\n\n  two';
  assert.deepEqual(read(head).fields, {
    description: 'a: b',
    tools: ['Read', 'Bash(git add *)'],
    metadata: { n: '1' },
    long: 'one\n\ntwo\n',
  });
});

test('merge conflict markers are left out and reported; the first side counts', () => {
  const head =
    'name: x\n<<<<<<< HEAD\ndescription: ours\n||||||| base\n=======\ndescription: theirs\n>>>>>>> branch';
  assert.deepEqual(read(head), {
    fields: { name: 'x', description: 'ours' },
    issues: ['conflict:3', 'conflict:5', 'conflict:6', 'conflict:8', 'repeated:7'],
  });
});

test('tabs as indentation count as two blanks each', () => {
  assert.deepEqual(read('name: x\nmetadata:\n\ta: 1\n\tb:\n\t\tc: 2'), {
    fields: { name: 'x', metadata: { a: '1', b: { c: '2' } } },
    issues: ['tabs:4', 'tabs:5', 'tabs:6'],
  });
});

test('a tab before a key is ignored where it cannot mean nesting, and the key is named', () => {
  for (const [head, fields, issues] of [
    ['name: x\n\tdescription: Does it.', { name: 'x', description: 'Does it.' }, ['tabs:3']],
    ['\tname: x\n\tdescription: Does it.', { name: 'x', description: 'Does it.' }, ['tabs:2']],
    [
      'name: "x"\n\tdescription: Does it.\n\tmetadata:\n\t\ta: b',
      { name: 'x', description: 'Does it.', metadata: { a: 'b' } },
      ['tabs:3', 'tabs:4', 'tabs:5'],
    ],
    [
      'description: |\n\tnote: this\n\tTriggers: a\nname: x: y',
      { description: 'note: this\nTriggers: a\n', name: 'x: y' },
      ['tabs:3', 'tabs:4', 'repaired:5'],
    ],
  ] as const) {
    const found = read(head);
    assert.deepEqual(found, { fields, issues }, head);
  }
});

test('control characters and half characters are left out', () => {
  assert.deepEqual(read('name: x\u0007y\ndescription: a\u0000b\u009fc'), {
    fields: { name: 'xy', description: 'abc' },
    issues: ['control:2', 'control:3'],
  });
  assert.deepEqual(read('name: x\ud800').fields, { name: 'x\ufffd' });
});

test('half characters are replaced in quoted text and in keys too, and reported', () => {
  for (const head of ['a: "x \udc00"', "a: 'x \udc00'", 'a: {b: [1, "x \udc00"]}', '"a\udc00": x']) {
    const { fields, issues } = parseFrontmatter(`---\n${head}\n---\n`);
    assert.match(JSON.stringify([...fields]), /\ufffd/, head);
    assert.deepEqual(
      issues.map(({ code }) => code),
      ['frontmatter.control'],
      head,
    );
  }
});

test('repeated and unsafe keys are reported in a repaired head as well', () => {
  const head =
    'description: a: b\nname: one\nname: two\n__proto__: x\nconstructor: y\nprototype: z\ntoString: t\nmetadata:\n  k: 1\n  k: 2';
  const { fields, issues } = read(head);
  assert.deepEqual(Object.entries(fields as object), [
    ['description', 'a: b'],
    ['name', 'one'],
    ['tostring', 't'],
    ['metadata', { k: '1' }],
  ]);
  assert.deepEqual(issues, [
    'repaired:2',
    'repeated:4',
    'dropped:5',
    'dropped:6',
    'dropped:7',
    'repeated:11',
  ]);
});

test('an unsafe key whose value is not YAML is dropped, never a function', () => {
  for (const key of ['__proto__', 'constructor', 'prototype']) {
    assert.deepEqual(read(`${key}: a: b\nname: x`), { fields: { name: 'x' }, issues: ['dropped:2'] });
  }
});

test('a second document is not read in a repaired head either', () => {
  assert.deepEqual(read('description: a: b\n--- next\nname: x'), {
    fields: { description: 'a: b' },
    issues: ['dropped:3', 'repaired:2'],
  });
});

test('lines before the first field are left out and reported', () => {
  assert.deepEqual(read('just words\nname: x\ndescription: y'), {
    fields: { name: 'x', description: 'y' },
    issues: ['ignored:2'],
  });
});

test('a head that is indented as a whole is repaired as well', () => {
  assert.deepEqual(read('  name: x\n  description: a: b\n  metadata:\n    c: d').fields, {
    name: 'x',
    description: 'a: b',
    metadata: { c: 'd' },
  });
});

test('a head without any field is reported', () => {
  const parsed = parseFrontmatter('---\njust words\n---\n');
  assert.deepEqual([parsed.present, parsed.fields.size, parsed.issues.length], [true, 0, 1]);
  assert.deepEqual(read('- a\n- b').issues, ['ignored:2', 'ignored:3']);
});

test('keys in other scripts and quoted keys are fields', () => {
  assert.deepEqual(read('описание: а: б\n名前: x\n"quoted key": y\n\'single\': z').fields, {
    описание: 'а: б',
    名前: 'x',
    'quoted-key': 'y',
    single: 'z',
  });
});

test('a broken block header is dropped from the text', () => {
  assert.deepEqual(read('description: |-\nnot indented\n  and indented\nname: x').fields, {
    description: 'not indented and indented',
    name: 'x',
  });
});

test('a head of nothing but faults does not flood the findings, and a limit is still told', () => {
  const { fields, issues } = read(`name: x\n${'\tword\n'.repeat(1000)}`);
  assert.deepEqual(Object.keys(fields as object), ['name']);
  assert.deepEqual([issues.length, issues.at(-1)], [51, 'repaired:53']);
  const refused = parseFrontmatter(`---\n${'\tword\n'.repeat(100)}${'k: v\n'.repeat(300)}---\n`);
  assert.equal(refused.refused, true);
  assert.equal(refused.issues.at(-1)?.code, 'frontmatter.limit');
});

test('a line of nothing but tabs is blank', () => {
  assert.deepEqual(read('name: a: b\n\t\t\nlicense: c').issues, ['repaired:2']);
});

test('a merge key is dropped with a warning and does not swallow the line above', () => {
  const above = 'name: x\ndescription: Does it.\n';
  for (const merge of ['<<: *base', '<<: [*a, *b]', '<<: *base # shared', '<<:\n  - *a\n  - *b']) {
    assert.deepEqual(read(`${above}${merge}\nlicense: MIT`), {
      fields: { name: 'x', description: 'Does it.', license: 'MIT' },
      issues: ['dropped:4'],
    });
  }
  for (const merge of ['<<: *base', '<<: [*a, *b]']) {
    assert.deepEqual(read(`${above}metadata:\n  a: b\n  ${merge}\n  c: d`), {
      fields: { name: 'x', description: 'Does it.', metadata: { a: 'b', c: 'd' } },
      issues: ['dropped:6'],
    });
  }
  assert.deepEqual(read('<<: *base\nname: x'), { fields: { name: 'x' }, issues: ['dropped:2'] });
});

test('a line in a block of text that looks like a merge key stays', () => {
  assert.deepEqual(read('description: |\n  In YAML:\n  <<: *base\nname: a: b').fields, {
    description: 'In YAML:\n<<: *base\n',
    name: 'a: b',
  });
});
