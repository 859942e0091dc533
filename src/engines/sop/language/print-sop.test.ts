import assert from 'node:assert/strict';
import { test } from 'node:test';
import { declaring, shapeOf } from '../../../../test/support/plan-shape.ts';
import { parseSop } from './parse-sop.ts';
import { printSop } from './print-sop.ts';

const declares = declaring({ send: ['to', 'text'] });

/** Returns the canonical form of a script, and checks that it parses to the same steps. */
function print(script: string): string {
  const { plan, issues } = parseSop(script, declares);
  assert.deepEqual(issues, []);
  const printed = printSop(plan);
  assert.deepEqual(shapeOf(parseSop(printed, declares).plan), shapeOf(plan));
  return printed;
}

test('a plan without steps is empty', () => {
  assert.equal(print('\n# nothing\n'), '');
});

test('words are parted by one blank, and each step has its line', () => {
  assert.equal(print('  @a   b\tone\r\n\r\n@c d   $a'), '@a b one\n@c d $a\n');
});

test('text is in quotes only where it must be', () => {
  const args = `one don't price#5 a"b me@home c:\\new -x 1,5 größe --`;
  assert.equal(print(`@a b ${args}`), `@a b ${args.replace(/ --$/, ' "--"')}\n`);
  for (const text of [
    '',
    ' ',
    'a b',
    'k=v',
    '$',
    '$x',
    '#x',
    "'x",
    '@x',
    '--begin-x--',
    '--x',
    'when',
    'not',
    'each',
  ])
    assert.equal(print(`@a b "${text}"`), `@a b "${text}"\n`);
});

test('quotes, backslashes, tabs and line ends are escaped', () => {
  const script = String.raw`@a b "say \"hi\" to 'c:\\x'" "1\n2" "\t" "3\r\n4"`;
  assert.equal(print(script), `${script}\n`);
});

test('a reference, a named argument, an each and a guard are as they are written', () => {
  const script = `@a send to=Ann text="Dear Ann" $x.y to=$z text=""
@b each $list send $item when $x.0
@c each when not $y
`;
  assert.equal(print(script), script);
});

test('a text of several lines that is last is printed as it is, between tags', () => {
  const heredoc = '@a b x\n--begin-text--\n  one\n\n@two # "three"\n--end-text--\n';
  assert.equal(print(heredoc), heredoc);
  assert.equal(print('@a b x\n\n  one\ntwo\n\n'), '@a b x\n--begin-text--\n  one\ntwo\n--end-text--\n');
  assert.equal(print('@a b "1\\n2" x'), '@a b "1\\n2" x\n');
  assert.equal(print('@a send text="1\\n2"'), '@a send text="1\\n2"\n');
  assert.equal(print('@a b when $x\n1\n2'), '@a b when $x\n--begin-text--\n1\n2\n--end-text--\n');
});

test('the tags do not occur in the text', () => {
  assert.equal(
    print('@a b --begin-x--\n--end-text--\n  --end-text-2-- \n--end-x--'),
    '@a b\n--begin-text-3--\n--end-text--\n  --end-text-2-- \n--end-text-3--\n',
  );
});

test('comments are above their step', () => {
  assert.equal(print('# one\n#\n#two\n@a b # three\n@c d'), '# one\n#\n# two\n# three\n@a b\n@c d\n');
});
