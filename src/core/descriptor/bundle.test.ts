import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bundleOfBytes, bundleOfText, nowhere, type Bundle } from './bundle.ts';

const location = { dir: '/s/demo', file: '/s/demo/SKILL.md', stem: 'demo', loose: false };
const ofBytes = (text: string | Uint8Array): Bundle => bundleOfBytes(Buffer.from(text as string), location);

test('a bundle keeps its place, its head, its body and its text', () => {
  const bundle = ofBytes('---\nname: x\n---\n\n# Title\r\ntext\n');
  assert.deepEqual(
    [bundle.dir, bundle.file, bundle.stem, bundle.loose],
    ['/s/demo', '/s/demo/SKILL.md', 'demo', false],
  );
  assert.equal(bundle.head.fields.get('name'), 'x');
  assert.equal(bundle.body, '\n# Title\ntext\n');
  assert.equal(bundle.text, '---\nname: x\n---\n\n# Title\r\ntext\n');
  assert.deepEqual([bundle.issues, bundle.head.issues], [[], []]);
});

test('the body is decoded when it is first looked at', () => {
  const bytes = Buffer.from('---\nname: x\n---\nbody');
  const bundle = bundleOfBytes(bytes, location);
  bytes.write('LATE', bytes.length - 4);
  assert.equal(bundle.body, 'LATE');
  bytes.write('body', bytes.length - 4);
  assert.equal(bundle.body, 'LATE');
});

test('a BOM is left out of text and body and reported, from bytes and from memory', () => {
  for (const bundle of [
    ofBytes('\ufeff---\nname: x\n---\nbody'),
    bundleOfText('\ufeff---\nname: x\n---\nbody', nowhere),
  ]) {
    assert.equal(bundle.head.fields.get('name'), 'x');
    assert.equal(bundle.text, '---\nname: x\n---\nbody');
    assert.deepEqual(
      bundle.issues.map((issue) => [issue.code, issue.level]),
      [['text.bom', 'info']],
    );
  }
  assert.equal(ofBytes('\ufeff# No head').body, '# No head');
});

test('UTF-16 is read', () => {
  const bundle = bundleOfBytes(Buffer.from('\ufeff---\r\nname: é\r\n---\r\nbody\r\n', 'utf16le'), location);
  assert.deepEqual([bundle.head.fields.get('name'), bundle.body], ['é', 'body\n']);
});

test('bad bytes in head or body are reported once', () => {
  for (const bytes of [
    Buffer.from('---\nname: \xff\n---\nbody', 'latin1'),
    Buffer.from('---\nname: x\n---\n\xff', 'latin1'),
    Buffer.from('\xff', 'latin1'),
  ]) {
    const bundle = bundleOfBytes(bytes, location);
    assert.deepEqual(
      bundle.issues.map((issue) => issue.code),
      ['text.encoding'],
    );
    assert.ok(bundle.text.includes('\ufffd'));
  }
});

test('a head that only looks plain gets the closer look', () => {
  const cases = [
    '---\nname: a\n ---\n# T\ntext\n---\nmore\n',
    '---\nname: a\n\n# T\ntext\n\n---\nmore\n',
    '---\n# T\ntext\n---\nmore\n',
    '---\nname: a\r---\rbody\n---\n',
    '---\nname: a\n----\nb: c\n---\nbody\n',
    '---\nname: a\n--- \nbody\n---\nmore',
    '---\n---\n---\n',
    '---\n',
    '',
  ];
  for (const text of cases) {
    const [fast, slow] = [ofBytes(text), bundleOfText(text, location)];
    assert.deepEqual(
      [fast.body, fast.head.bodyLine, fast.head.keys],
      [slow.body, slow.head.bodyLine, slow.head.keys],
      JSON.stringify(text),
    );
  }
});

test('limits can be set', () => {
  const limits = { frontmatterBytes: 10, frontmatterKeys: 1, frontmatterDepth: 1 };
  assert.equal(bundleOfBytes(Buffer.from('---\nname: demo\n---\n'), location, limits).head.refused, true);
  assert.equal(bundleOfText('---\nname: x\n---\n', location, limits).head.refused, false);
});
