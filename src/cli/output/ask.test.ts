import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { askOn } from './ask.ts';

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

test('an input that ends is no answer', async () => {
  const output = paper();
  assert.equal(await askOn(Readable.from([]), output, 'Name? '), undefined);
  assert.equal(output.text, 'Name? \n');
});

test('whoever aborts gets no answer, and nothing is asked after that', async () => {
  const abort = new AbortController();
  const asked = askOn(new Readable({ read: () => undefined }), paper(), 'Name? ', abort.signal);
  abort.abort();
  assert.equal(await asked, undefined);
  const output = paper();
  assert.equal(await askOn(Readable.from(['Ann\n']), output, 'Name? ', abort.signal), undefined);
  assert.equal(output.text, '');
});
