import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { askOn } from './ask.ts';
import { forgetTyped } from './forget-typed.ts';

test('a line that was typed before a question does not answer it', async () => {
  const input = new PassThrough();
  input.write('y\n');
  await forgetTyped(input);
  const asked = askOn(input, { write: () => undefined }, '> ');
  input.write('n\n');
  assert.equal(await asked, 'n');
});
