import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'node:test';
import { askOn, forgetTyped } from './keyboard.ts';

function paper(): { text: string; write(text: string): void } {
  return {
    text: '',
    write(text) {
      this.text += text;
    },
  };
}

test('the first line is the answer', async () => {
  const output = paper();
  assert.equal(await askOn(Readable.from(['Ann\n']), output, 'Name? '), 'Ann');
  assert.equal(output.text, 'Name? ');
});

test('an input that ends is not an answer', async () => {
  const output = paper();
  assert.equal(await askOn(Readable.from([]), output, 'Name? '), undefined);
  assert.equal(output.text, 'Name? \n');
});

test('an abort gives no answer, and nothing is asked after it', async () => {
  const abort = new AbortController();
  const asked = askOn(new Readable({ read: () => undefined }), paper(), 'Name? ', abort.signal);
  abort.abort();
  assert.equal(await asked, undefined);
  const output = paper();
  assert.equal(await askOn(Readable.from(['Ann\n']), output, 'Name? ', abort.signal), undefined);
  assert.equal(output.text, '');
});

test('a line that was typed before a question does not answer it', async () => {
  const input = new PassThrough();
  input.write('y\n');
  await forgetTyped(input);
  const asked = askOn(input, { write: () => undefined }, '> ');
  input.write('n\n');
  assert.equal(await asked, 'n');
});
