import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../testing/garbage.ts';
import { bundleOfBytes, bundleOfText, nowhere, type Bundle } from './bundle.ts';
import { parseFrontmatter, type Frontmatter } from './frontmatter.ts';
import type { Issue } from '../issue.ts';
import { unsafeKeys, type Json } from '../json.ts';
import { decodeText } from '../text.ts';

const runs = { numRuns: 1000 };

// The parts of YAML, Markdown and careless files.
const piece = fc.constantFrom(
  ...[
    '\n',
    '\n',
    '\n  ',
    '\n---\n',
    '---\n',
    ' ---\n',
    '--- ',
    '...\n',
    ' ',
    '\t',
    '\r',
    '\r\n',
    ': ',
    ':',
    '- ',
    '# ',
    '# H\nprose\n',
  ],
  ...[
    '[',
    ']',
    '{',
    '}',
    '{{',
    ',',
    '? ',
    '&a ',
    '*a',
    '!a ',
    '!!str ',
    '"',
    "'",
    '\\',
    '\\x',
    '\\ud800',
    '|\n',
    '>-\n',
    '|',
    ' # x',
  ],
  ...[
    'name: x\n',
    'description: y\n',
    'Name: z\n',
    'a: b: c\n',
    'm:\n  a: b: c\n',
    'a',
    'é',
    '😀',
    '\ufeff',
    '\u0000',
    '\u2028',
    '~',
    'null',
  ],
  ...[
    '<<: ',
    '<<: *a\n',
    '<!-- c -->\n',
    '```yaml\n',
    '```\n',
    '# T\n',
    '<<<<<<< HEAD\n',
    '=======\n',
    '__proto__: x\n',
    'constructor: a: b\n',
    'toString: x\n',
    '%YAML 1.2\n',
    '---js\n',
    '@',
    '`',
  ],
);
const messyText = fc
  .tuple(
    fc.constantFrom('', '---\n', '---\r\n', '\ufeff---\n', '\n---\n'),
    fc.array(piece, { maxLength: 40 }),
    fc.constantFrom('', '\n---\nbody\n', '\n---'),
  )
  .map(([start, pieces, end]) => start + pieces.join('') + end);
const validHead =
  '---\nname: demo\ndescription: |\n  Does it.\n  ---\nmetadata: {a: [1, "b"]}\ntools:\n  - Read\n# comment\n---\n# Title\n';
const mutatedHead = fc
  .array(
    fc.tuple(
      fc.nat(validHead.length),
      fc.nat(4),
      fc.oneof(piece, fc.string({ maxLength: 3, unit: anyCharacter })),
    ),
    { maxLength: 4 },
  )
  .map((edits) =>
    edits.reduce(
      (text, [at, removed, added]) => text.slice(0, at) + added + text.slice(at + removed),
      validHead,
    ),
  );
const anyText = fc.oneof(
  messyText,
  mutatedHead,
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: 'grapheme' }),
);
const anyBytes = fc.oneof(
  anyText.map((text) => Buffer.from(text)),
  fc
    .tuple(anyText, fc.uint8Array({ maxLength: 6 }), anyText)
    .map(([a, odd, b]) => Buffer.concat([Buffer.from(a), odd, Buffer.from(b)])),
  fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  anyText.map((text) => Buffer.from(`\ufeff${text}`, 'utf16le')),
);

const dataOf = (head: Frontmatter): unknown => ({
  ...head,
  fields: [...head.fields],
  lineOf: [...head.keys, 'name', 'none'].map((key) => head.lineOf(key)),
  isBlank: [...head.keys, 'name', 'none'].map((key) => head.isBlank(key)),
});
const partsOf = (bundle: Bundle): unknown => ({
  ...bundle,
  head: { ...(dataOf(bundle.head) as object), bodyStart: 0, bodyEnd: 0 },
  body: bundle.body,
  text: bundle.text,
});

test('any text is read without throwing, always the same way, into data with sound lines', () => {
  const before = Object.getOwnPropertyNames(Object.prototype).join();
  fc.assert(
    fc.property(anyText, (text) => {
      const head = parseFrontmatter(text);
      assert.deepEqual(dataOf(parseFrontmatter(text)), dataOf(head));
      const lines = text.split(/\r\n?|\n/).length;
      const reported = [
        head.bodyLine - 1,
        ...head.issues.map((issue) => issue.line ?? 1),
        ...head.keys.map((key) => head.lineOf(key) ?? 1),
      ];
      for (const line of reported) assert.ok(line >= 0 && line <= lines, `line ${line} of ${lines}`);
      assert.ok(head.bodyStart >= 0 && head.bodyStart <= text.length);
      for (const value of head.fields.values()) assertData(value);
    }),
    runs,
  );
  assert.equal(Object.getOwnPropertyNames(Object.prototype).join(), before);
});

test('the bytes of a file and its text make the same bundle', () => {
  fc.assert(
    fc.property(anyBytes, (bytes) => {
      const issues: Issue[] = [];
      const ofText = bundleOfText(decodeText(bytes, issues), nowhere, undefined, issues);
      assert.deepEqual(partsOf(bundleOfBytes(bytes, nowhere)), partsOf(ofText));
    }),
    runs,
  );
});

test('the body is the text from its line on', () => {
  fc.assert(
    fc.property(messyText, (text) => {
      const bundle = bundleOfText(text, nowhere);
      const lines = bundle.text.slice(0, bundle.head.bodyEnd).split(/\r\n?|\n/);
      assert.equal(
        bundle.body,
        bundle.head.bodyLine > lines.length ? '' : lines.slice(bundle.head.bodyLine - 1).join('\n'),
      );
    }),
    runs,
  );
});

test('simple pairs are read as they were written', () => {
  const key = fc.stringMatching(/^[a-z][a-z0-9]{0,10}$/).filter((name) => !unsafeKeys.has(name));
  const value = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9 .,;!()/_+-]{0,40}$/).map((text) => text.trim());
  const isNull = (text: string): boolean => /^(?:null|Null|NULL)$/.test(text);
  fc.assert(
    fc.property(
      fc.dictionary(
        key,
        value.filter((text) => !isNull(text)),
      ),
      fc.string({ unit: 'grapheme' }),
      (pairs, body) => {
        const entries = Object.entries(pairs);
        const head = parseFrontmatter(
          `---\n${entries.map(([name, text]) => `${name}: ${text}\n`).join('')}---\n${body}`,
        );
        assert.deepEqual([...head.fields], entries);
        assert.deepEqual(head.issues, []);
        assert.deepEqual(
          entries.map(([name]) => head.lineOf(name)),
          entries.map((_, index) => index + 2),
        );
        assert.equal(head.bodyLine, entries.length + 3);
      },
    ),
    runs,
  );
});

test('every value written as JSON is read back, its scalars as text', () => {
  const asWritten = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(asWritten);
    if (typeof value !== 'object' || value === null)
      return typeof value === 'string' || value === null ? value : JSON.stringify(value);
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, asWritten(inner)]));
  };
  const plain = fc.stringMatching(/^[a-z]{1,8}$/).filter((name) => !unsafeKeys.has(name));
  const json = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.string({ unit: 'grapheme' }),
      fc.constant(null),
      fc.boolean(),
      fc.integer(),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(plain, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  })).value;
  fc.assert(
    fc.property(json, (value) => {
      const head = parseFrontmatter(`---\nvalue: ${JSON.stringify(value)}\n---\n`);
      assert.deepEqual(head.fields.get('value') ?? null, asWritten(value));
    }),
    runs,
  );
});

function assertData(value: Json): void {
  if (typeof value === 'string') assert.ok(value.isWellFormed());
  else if (typeof value === 'object' && value !== null) {
    for (const key of Object.keys(value)) assert.ok(Array.isArray(value) || !unsafeKeys.has(key), key);
    for (const inner of Object.values(value) as Json[]) assertData(inner);
  } else assert.equal(value, null);
}
