import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { askOn, forgetTyped, holdTyped, type HeldKeys, type Keys } from './keyboard.ts';

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

interface Desk {
  readonly input: PassThrough & Keys;
  readonly held: HeldKeys;
  /** The changes to the terminal in order: its modes, and the signals that were sent. */
  readonly done: readonly (string | boolean)[];
  type(keys: string): Promise<void>;
}

function desk(): Desk {
  const done: (string | boolean)[] = [];
  const setRawMode = (isRaw: boolean): void => void done.push(isRaw);
  const input = Object.assign(new PassThrough(), { setRawMode });
  const held = holdTyped(input, (name) => void done.push(name));
  const type = async (keys: string): Promise<void> => {
    input.write(keys);
    await turn();
  };
  return { input, held, done, type };
}

/** Returns the input that the next reader receives. */
async function restOf(input: PassThrough): Promise<string> {
  input.end();
  let text = '';
  for await (const bytes of input) text += String(bytes);
  return text;
}

describe('keys that are typed while something is drawn', () => {
  test('go to the next reader, character by character', async () => {
    const { input, held, done, type } = desk();
    await type('söme ');
    await type('words\r');
    held[Symbol.dispose]();
    await type('more');
    assert.equal(await restOf(input), 'söme words\rmore');
    assert.deepEqual(done, [true, false], 'the terminal is as it was');
  });

  test('send the signals that they stand for, each of them, and what was typed before is dropped', async () => {
    const { input, held, done, type } = desk();
    await type('abc\u0003de\u0003f');
    assert.deepEqual(done, [true, 'SIGINT', 'SIGINT']);
    held[Symbol.dispose]();
    assert.equal(await restOf(input), 'f');
  });

  test('a process that is ended by one leaves the terminal in its usual state', async () => {
    const { held, done, type } = desk();
    await type('\u001c');
    assert.deepEqual(done, [true, false, 'SIGQUIT']);
    held[Symbol.dispose]();
  });

  test('one that was stopped takes the keys again when it continues', async () => {
    const before = process.listeners('SIGCONT');
    const { input, held, done, type } = desk();
    await type('x\u001a');
    assert.deepEqual(done, [true, false, 'SIGTSTP']);
    for (const listener of process.listeners('SIGCONT')) if (!before.includes(listener)) listener('SIGCONT');
    assert.deepEqual(done.slice(3), [true]);
    await type('y');
    held[Symbol.dispose]();
    assert.equal(await restOf(input), 'y');
    assert.deepEqual(process.listeners('SIGCONT'), before);
  });

  test('decide nothing that was not asked yet, and are returned after the decision', async () => {
    const { input, held, done, type } = desk();
    await type('y\r');
    await held.putAside();
    await type('n\n');
    const silent = { write: () => undefined };
    assert.equal(await held.lend(() => askOn(input, silent, 'May it? ')), 'n');
    assert.deepEqual(done, [true, false, true], 'who is asked types at the usual terminal');
    await type('z');
    held[Symbol.dispose]();
    assert.equal(await restOf(input), 'y\rz');
  });
});
