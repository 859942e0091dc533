import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  truncateSync,
} from 'node:fs';
import { describe, test } from 'node:test';
import { tree } from '../../test/support/tree.ts';
import { openLineHistory, type LineHistory } from './line-history.ts';

function historyIn(home: string, more: Readonly<Record<string, string>> = {}): LineHistory {
  const history = openLineHistory({ HOME: home, ...more });
  assert.ok(history !== undefined);
  return history;
}

describe('lines that are kept for the next conversation', () => {
  test('are there again, newest first and each once, for their owner only', () => {
    using files = tree({ 'home/x': '' });
    const home = files.at('home');
    const first = historyIn(home);
    assert.deepEqual(first.earlier, []);
    assert.deepEqual(
      ['one', 'two  ', 'one'].map((line) => first.add(line)),
      [true, false, false],
      'the first line makes the file',
    );
    assert.deepEqual(historyIn(home).earlier, ['one', 'two']);
    assert.equal(statSync(first.file).mode & 0o777, 0o600);
    chmodSync(first.file, 0o666);
    assert.deepEqual(historyIn(home).earlier, [], 'others could have written it');
  });

  test('are at most a thousand, and those of other conversations stay', () => {
    using files = tree({ 'home/x': '' });
    const lines = Array.from({ length: 1_200 }, (_, index) => `line ${index}`);
    const one = historyIn(files.at('home'));
    files.write('home/.skilled/history', lines.map((line) => `${line}\n`).join(''));
    chmodSync(one.file, 0o600);
    one.add('mine');
    const stored = readFileSync(one.file, 'utf8').trimEnd().split('\n');
    assert.deepEqual([stored.length, stored[0], stored.at(-1)], [1_000, 'line 201', 'mine']);
  });

  const refused: readonly (readonly [what: string, line: string])[] = [
    ['a line that begins with a blank', ' not this one'],
    ['the shape of a credential', 'use sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789 for it'],
    ['the value of a secret variable', 'log in with correct-horse-battery'],
    ['a very long line', 'x'.repeat(2_001)],
    ['what steers a terminal', 'one \u001b[31mtwo'],
    ['nothing', ''],
  ];
  for (const [what, line] of refused)
    test(`never are: ${what}`, () => {
      using files = tree({ 'home/x': '' });
      const environment = { SHOP_PASSWORD: 'correct-horse-battery' };
      assert.equal(historyIn(files.at('home'), environment).add(line), false);
      assert.deepEqual(historyIn(files.at('home')).earlier, []);
    });

  test('two conversations at once lose nothing', () => {
    using files = tree({ 'home/x': '' });
    const [one, other] = [historyIn(files.at('home')), historyIn(files.at('home'))];
    for (const index of [1, 2]) {
      one.add(`here ${index}`);
      other.add(`there ${index}`);
    }
    assert.deepEqual(historyIn(files.at('home')).earlier, ['there 2', 'here 2', 'there 1', 'here 1']);
  });

  test('lie with the settings of the user, wherever those are', () => {
    using files = tree({ 'home/x': '', 'own/x': '' });
    const moved = historyIn(files.at('home'), { SKILLED_HOME: files.at('own') });
    moved.add('one');
    assert.equal(readFileSync(files.at('own/history'), 'utf8'), 'one\n');
    assert.equal(historyIn(files.at('home')).file, files.at('home/.skilled/history'));
  });

  test('a damaged file gives what still are lines, and is whole after the next one', () => {
    using files = tree();
    const bytes = Buffer.from([0x6f, 0x6b, 0x0a, 0x00, 0xff, 0x1b, 0x5b, 0x33, 0x31, 0x6d, 0x0a, 0xc3]);
    const file = files.write('home/.skilled/history', bytes);
    chmodSync(file, 0o600);
    const history = historyIn(files.at('home'));
    assert.deepEqual(history.earlier, ['\ufffd', 'ok']);
    history.add('next');
    assert.equal(readFileSync(file, 'utf8'), 'ok\n\ufffd\nnext\n');
  });

  test('a file that is too large for ours is not read, and replaced', () => {
    using files = tree({ 'home/.skilled/history': 'one\n' });
    const file = files.at('home/.skilled/history');
    chmodSync(file, 0o600);
    truncateSync(file, 100_000_000);
    const history = historyIn(files.at('home'));
    assert.deepEqual(history.earlier, []);
    history.add('two');
    assert.equal(readFileSync(file, 'utf8'), 'two\n');
  });

  test('a file that is read-only stays as it is', () => {
    using files = tree({ 'home/.skilled/history': 'one\n' });
    const file = files.at('home/.skilled/history');
    chmodSync(file, 0o400);
    const history = historyIn(files.at('home'));
    assert.equal(history.add('two'), false);
    assert.deepEqual([history.earlier, readFileSync(file, 'utf8')], [['one'], 'one\n']);
  });

  test('a link is not followed, and stays', () => {
    using files = tree({ 'home/.skilled/x': '', 'elsewhere.txt': 'theirs\n' });
    symlinkSync(files.at('elsewhere.txt'), files.at('home/.skilled/history'));
    const history = historyIn(files.at('home'));
    assert.deepEqual([history.earlier, history.add('one')], [[], false]);
    assert.equal(readlinkSync(history.file), files.at('elsewhere.txt'));
    assert.equal(readFileSync(files.at('elsewhere.txt'), 'utf8'), 'theirs\n');
  });

  test('a home that cannot be used keeps nothing, and says nothing', () => {
    using files = tree({ home: '', 'other/x': '' });
    assert.equal(historyIn(files.at('home')).add('one'), false);
    mkdirSync(files.at('other/.skilled/history'), { recursive: true });
    assert.equal(historyIn(files.at('other')).add('one'), false);
  });
});
