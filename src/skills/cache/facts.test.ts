import assert from 'node:assert/strict';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { tree } from '../../../test/support/tree.ts';
import { openFacts } from './facts.ts';

const key = (): string => 'version 1';
const never = (): number => assert.fail('It is known.');

test('a fact is computed once, also after another start, and its text is not stored', () => {
  using base = tree();
  const file = base.at('cache/facts.json');
  const first = openFacts(file, key);
  assert.equal(
    first.of('size', 'a long text', ({ length }) => length),
    11,
  );
  assert.equal(first.of('size', 'a long text', never), 11);
  first.save();
  assert.ok(!readFileSync(file, 'utf8').includes('long'));
  const { ino } = statSync(file);
  const second = openFacts(file, key);
  assert.equal(second.of('size', 'a long text', never), 11);
  second.save();
  assert.equal(statSync(file).ino, ino);
});

test('texts and kinds are kept apart', () => {
  const facts = openFacts(undefined, key);
  assert.deepEqual(
    ['a', 'b'].flatMap((kind) =>
      ['x', 'xx'].map((text) => facts.of(kind, text, () => text.length + (kind === 'a' ? 0 : 10))),
    ),
    [1, 2, 11, 12],
  );
});

test('facts of another version, damaged facts and facts that others could have written are computed again', () => {
  using base = tree();
  const file = base.at('facts.json');
  const write = (): void => {
    const facts = openFacts(file, key);
    facts.of('size', 'text', () => 4);
    facts.save();
  };
  const isKnown = (version = key): boolean => {
    let isComputed = false;
    openFacts(file, version).of('size', 'text', () => Number((isComputed = true)));
    return !isComputed;
  };
  write();
  assert.ok(isKnown());
  assert.ok(!isKnown(() => 'version 2'));
  const whole = readFileSync(file, 'utf8');
  for (const damaged of ['', whole.slice(0, -1), whole.replace(':4', ':5'), 'other']) {
    writeFileSync(file, damaged);
    assert.ok(!isKnown(), damaged);
  }
  write();
  chmodSync(file, 0o666);
  assert.ok(!isKnown());
});

test('facts that cannot be saved are no failure', () => {
  using base = tree({ file: '' });
  const facts = openFacts(base.at('file/facts.json'), key);
  assert.equal(
    facts.of('size', 'text', () => 4),
    4,
  );
  facts.save();
});
