import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finished } from '../../../test/support/deadline.ts';
import { parseEnvFile } from './keys.ts';

const read = (text: string): object => Object.fromEntries(parseEnvFile(text));

test('plain lines, with comments and white space', () => {
  assert.deepEqual(read('A=1\n  B = two words  # not this\n# C=3\nexport D=4\nexport\tE=5\n\nF=\nG=a=b'), {
    A: '1',
    B: 'two words',
    D: '4',
    E: '5',
    F: '',
    G: 'a=b',
  });
});

test('a hash inside a value is a part of it', () => {
  assert.deepEqual(read('A=a#b\nB="a # b" # c\nC=\'a # b\'#c\nD= #c'), {
    A: 'a#b',
    B: 'a # b',
    C: 'a # b',
    D: '',
  });
});

test('quotes, over several lines too; only double ones know escapes', () => {
  assert.deepEqual(read('A="x\\ny\\t\\"z\\" \\\\ \\$H \\q"\nB=\'x\\ny\'\nC="1\n2"\nD=`"\'`\nE=""'), {
    A: 'x\ny\t"z" \\ $H \\q',
    B: 'x\\ny',
    C: '1\n2',
    D: '"\'',
    E: '',
  });
});

test('what other systems leave: line ends, a byte order mark, no last line end', () => {
  assert.deepEqual(read('\ufeffA=1\r\nB="2"\r\nC=3\rD=4'), { A: '1', B: '2', C: '3', D: '4' });
});

test('nonsense is passed over, and a quote that stays open takes no other line', () => {
  assert.deepEqual(read('just text\n=1\n1A=2\nA: 3\nB="open\nC=4\nD=un\'quoted\n__proto__=x'), {
    B: '"open',
    C: '4',
    D: "un'quoted",
    ['__proto__']: 'x',
  });
  assert.deepEqual(read(''), {});
});

test('of two the last one counts', () => {
  assert.deepEqual(read('A=1\nA=2'), { A: '2' });
});

test('a long hostile file is read in time that grows with it alone', () => {
  const size = 1_000_000;
  for (const text of ['A="\\'.repeat(size), `A=${' #'.repeat(size)}\n`.repeat(2), `${' '.repeat(size)}x\n`])
    finished(text.slice(0, 10), () => parseEnvFile(text));
});

test('a file with a million line separators is read at once', () => {
  assert.deepEqual([...parseEnvFile(`${'\u2028'.repeat(1_000_000)}\nA=b\n`)], [['A', 'b']]);
});
