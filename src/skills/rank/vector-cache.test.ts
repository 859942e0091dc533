import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { tree } from '../../../test/support/tree.ts';
import { isAgentError } from '../../core/error.ts';
import { maxVectors, VectorCache, vectorFileOf } from './vector-cache.ts';

const dimensions = 3;
const open = (file: string | undefined, name = 'model'): VectorCache =>
  new VectorCache(file, dimensions, name);

/** Writes a cache with one vector per text. */
function write(file: string, texts: readonly string[]): VectorCache {
  const cache = open(file);
  texts.forEach((text, index) => cache.add(text, Int8Array.of(index, -index, 127)));
  assert.equal(cache.flush(), undefined);
  return cache;
}

const knows = (cache: VectorCache, texts: readonly string[]): boolean[] =>
  texts.map((text) => cache.get(text) !== undefined);

test('vectors come back as they were kept, for any text', () => {
  using base = tree();
  const texts = fc.uniqueArray(fc.string({ unit: 'grapheme' }), { maxLength: 30 });
  fc.assert(
    fc.property(texts, fc.nat(), (list, number) => {
      const file = base.at(`${list.length}-${number}.bin`);
      const before = open(file);
      list.forEach((text, index) => before.add(text, Int8Array.of(index, -128, number % 128)));
      assert.equal(before.flush(), undefined);
      const after = open(file);
      for (const text of list) assert.deepEqual(after.get(text), before.get(text));
    }),
    { numRuns: 30 },
  );
});

test('a change of any byte and a cut at any place leave nothing known', () => {
  using base = tree();
  const file = base.at('v.bin');
  const texts = ['a', 'b', 'c'];
  write(file, texts);
  const whole = readFileSync(file);
  const isForgotten = (bytes: Uint8Array): void => {
    writeFileSync(file, bytes);
    assert.deepEqual(knows(open(file), texts), [false, false, false]);
  };
  for (let at = 0; at < whole.length; at += 1) isForgotten(whole.subarray(0, at));
  const damage = fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }));
  fc.assert(
    fc.property(damage, ([at, bits]) => {
      const damaged = Uint8Array.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ bits;
      isForgotten(damaged);
    }),
    { numRuns: 200 },
  );
  isForgotten(Buffer.concat([whole, Buffer.alloc(1)]));
  writeFileSync(file, whole);
  assert.deepEqual(knows(open(file), texts), [true, true, true]);
});

test('another name, other dimensions and another kind of file count as nothing known', () => {
  using base = tree();
  const file = base.at('v.bin');
  write(file, ['a']);
  assert.equal(open(file, 'other').get('a'), undefined);
  assert.equal(new VectorCache(file, 4, 'model').get('a'), undefined);
  for (const other of ['', '\n', '{}', 'skilled-vectors 1']) {
    writeFileSync(file, other);
    assert.equal(open(file).get('a'), undefined);
  }
  mkdirSync(base.at('folder'));
  assert.equal(open(base.at('folder')).get('a'), undefined);
});

test('a file that others could have written is not believed', () => {
  using base = tree();
  const file = base.at('v.bin');
  write(file, ['a']);
  symlinkSync(file, base.at('link.bin'));
  assert.equal(open(base.at('link.bin')).get('a'), undefined);
  chmodSync(file, 0o666);
  assert.equal(open(file).get('a'), undefined);
});

test('the file and its folder are for their owner only, and nothing is left beside', () => {
  using base = tree();
  const file = base.at('new', 'v.bin');
  write(file, ['a']);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(dirname(file)).mode & 0o777, 0o700);
  assert.deepEqual(readdirSync(dirname(file)), ['v.bin']);
});

test('two writers keep what the other wrote', () => {
  using base = tree();
  const file = base.at('v.bin');
  const [one, two] = [write(file, ['old']), open(file)];
  assert.deepEqual(knows(two, ['old']), [true]);
  one.add('one', Int8Array.of(1, 1, 1));
  one.flush();
  two.add('two', Int8Array.of(2, 2, 2));
  two.flush();
  one.add('three', Int8Array.of(3, 3, 3));
  one.flush();
  const all = ['old', 'one', 'two', 'three'];
  assert.deepEqual(knows(open(file), all), [true, true, true, true]);
  assert.deepEqual(knows(one, all), [true, true, true, true]);
});

test('a cache that was never read keeps what is there already', () => {
  using base = tree();
  const file = base.at('v.bin');
  write(file, ['a']);
  write(file, ['b']);
  assert.deepEqual(knows(open(file), ['a', 'b']), [true, true]);
});

test('a flush without news writes nothing', () => {
  using base = tree();
  const file = base.at('v.bin');
  const cache = write(file, ['a']);
  writeFileSync(file, 'mine');
  cache.get('a');
  assert.equal(cache.flush(), undefined);
  assert.equal(readFileSync(file, 'utf8'), 'mine');
  assert.equal(open(base.at('none.bin')).flush(), undefined);
  assert.deepEqual(readdirSync(base.path), ['v.bin']);
});

test('beyond the most that is kept, what was not asked for the longest goes', () => {
  using base = tree();
  const file = base.at('v.bin');
  const cache = open(file);
  const vector = Int8Array.of(1, 2, 3);
  for (let index = 0; index < maxVectors; index += 1) cache.add(`${index}`, vector);
  cache.get('0');
  cache.add('new', vector);
  assert.deepEqual(knows(cache, ['1', '0', '2', 'new']), [false, true, true, true]);
  cache.flush();
  const other = open(file);
  assert.deepEqual(knows(other, ['1', '0', '2', 'new']), [false, true, true, true]);
  other.add('newer', vector);
  assert.deepEqual(knows(other, ['3', '4', '0', 'newer']), [false, true, true, true]);
});

test('a folder that cannot be written is a remark, and a later flush tries again', () => {
  using base = tree({ file: '' });
  const file = base.at('file', 'v.bin');
  const cache = open(file);
  cache.add('a', Int8Array.of(1, 2, 3));
  for (let round = 0; round < 2; round += 1) {
    const issue = cache.flush();
    assert.deepEqual([issue?.level, issue?.code, issue?.file], ['info', 'cache.unwritable', file]);
    assert.deepEqual(cache.get('a'), Int8Array.of(1, 2, 3));
  }
});

test('without a file, vectors stay in memory', () => {
  const cache = open(undefined);
  assert.equal(cache.get('a'), undefined);
  const vector = Int8Array.of(1, 2, 3);
  cache.add('a', vector);
  vector.fill(0);
  assert.equal(cache.flush(), undefined);
  assert.deepEqual(cache.get('a'), Int8Array.of(1, 2, 3));
});

test('a vector of another size is misuse', () => {
  assert.throws(() => open(undefined).add('a', new Int8Array(4)), isAgentError);
});

test('every embedder has a file of its own', () => {
  assert.match(vectorFileOf('/c', 'minilm-1.0'), /[\\/]vectors-minilm-1\.0\.bin$/);
  const names = ['a/b', 'a-b', 'A-b', 'a b', '../a', 'x'.repeat(300)];
  const files = names.map((name) => vectorFileOf('/c', name));
  assert.equal(new Set(files).size, names.length);
  for (const file of files) assert.match(file, /^[\\/]c[\\/]vectors-[a-z0-9.-]{1,120}\.bin$/);
});
