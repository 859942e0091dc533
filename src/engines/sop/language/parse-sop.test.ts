import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { declaring, positionsOf, shapeOf } from '../../../../test/support/plan-shape.ts';
import type { StepShape } from '../../../../test/support/plan-shape.ts';
import { parseSop } from './parse-sop.ts';

/** Returns the steps of a script without errors. */
function read(script: string, names: Readonly<Record<string, readonly string[]>> = {}): readonly StepShape[] {
  const { plan, issues } = parseSop(script, declaring(names));
  assert.deepEqual(issues, []);
  return shapeOf(plan);
}

/** Returns the only step of a script without errors. */
function readOne(script: string, names?: Readonly<Record<string, readonly string[]>>): StepShape {
  const [step, ...others] = read(script, names);
  assert.ok(step !== undefined);
  assert.deepEqual(others, []);
  return step;
}

function argumentsOf(script: string): StepShape['arguments'] {
  return readOne(script).arguments;
}

/** Returns the errors of a script, and the arguments of each step that could be parsed. */
function readWrong(script: string): { wrong: readonly string[]; steps: Record<string, unknown> } {
  const { plan, issues } = parseSop(script);
  const steps = shapeOf(plan).map((step) => [step.name, step.arguments] as const);
  return { wrong: positionsOf(issues), steps: Object.fromEntries(steps) };
}

describe('lines and steps', () => {
  test('each line that begins with @ is a step: a name and a command', () => {
    assert.deepEqual(read('@a one\n  @b\ttwo\n\n\t@c  three'), [
      { name: 'a', command: 'one', arguments: [] },
      { name: 'b', command: 'two', arguments: [] },
      { name: 'c', command: 'three', arguments: [] },
    ]);
  });

  test('LF, CRLF and CR end a line, also mixed', () => {
    assert.deepEqual(
      read('@a one\r\n@b two\r@c three\n@d four').map(({ name }) => name),
      ['a', 'b', 'c', 'd'],
    );
  });

  test('other separators of Unicode end no line, but part words', () => {
    assert.deepEqual(argumentsOf('@a one x\u2028@b\u00a0two'), ['x', '@b', 'two']);
  });

  test('names and commands are whatever has no blank in it', () => {
    const { name, command } = readOne('@user.name#1"x" "do$it"#now');
    assert.deepEqual([name, command], ['user.name#1"x"', '"do$it"#now']);
    assert.equal(readOne('@$x @y').name, '$x');
    assert.equal(readOne('@@ $x').command, '$x');
    assert.equal(readOne('@a when').command, 'when');
    assert.equal(readOne('@__proto__ constructor').name, '__proto__');
  });

  test('a byte order mark and zero-width characters in front count for nothing but columns', () => {
    const { plan, issues } = parseSop('\ufeff\u200b\u200d\u2060@a one "x');
    assert.deepEqual(plan.steps[0]?.position, { line: 1, column: 5 });
    assert.deepEqual(positionsOf(issues), ['1:12 sop.open-string']);
    assert.deepEqual(read('\u200b'), []);
  });

  test('a script without anything has no steps and nothing wrong', () => {
    for (const script of ['', '\n', ' \t\r\n', '# only a comment', '\ufeff'])
      assert.deepEqual(parseSop(script), { plan: { steps: [] }, issues: [] });
  });
});

describe('arguments', () => {
  test('words are parted by any white space', () => {
    assert.deepEqual(argumentsOf('@a b  one\ttwo \u00a0 three  '), ['one', 'two', 'three']);
  });

  test('quotes hold blanks, and each other', () => {
    assert.deepEqual(argumentsOf(`@a b "one two" 'three "four"' "it's" ""`), [
      'one two',
      'three "four"',
      "it's",
      '',
    ]);
  });

  test('escapes stand for new line, return, tab, backslash and quotes; any other character for itself', () => {
    assert.deepEqual(argumentsOf(String.raw`@a b "1\n2\r3\t4\\5\'6\"7" '\'\"' "\a\$\#\u0041\n"`), [
      '1\n2\r3\t4\\5\'6"7',
      `'"`,
      'a$#u0041\n',
    ]);
  });

  test('a quote, a hash, an @ and a backslash inside a word are text', () => {
    assert.deepEqual(argumentsOf(`@a b don't price#5 a"b me@home c:\\new \\"x @y`), [
      "don't",
      'price#5',
      'a"b',
      'me@home',
      'c:\\new',
      '\\"x',
      '@y',
    ]);
    assert.deepEqual(argumentsOf('@a b a"b c"d'), ['a"b', 'c"d']);
  });

  test('a string ends its token', () => {
    assert.deepEqual(argumentsOf(`@a b "abc"def "x"'y'"z" "r"$s`), [
      'abc',
      'def',
      'x',
      'y',
      'z',
      'r',
      { $: 's' },
    ]);
  });

  test('$ begins a reference at the start of a token, up to white space', () => {
    assert.deepEqual(argumentsOf(`@a b $x $x.y.0 $größe, "$x" cost$x $ $$ $x#y`), [
      { $: 'x' },
      { $: 'x.y.0' },
      { $: 'größe,' },
      '$x',
      'cost$x',
      '$',
      { $: '$' },
      { $: 'x#y' },
    ]);
  });

  test('a string that is not closed continues to the end of its line', () => {
    assert.deepEqual(readWrong(`@a b "one 'two' # x\n@c d 'e\n@f g`), {
      wrong: ['1:6 sop.open-string', '2:6 sop.open-string'],
      steps: { a: [`one 'two' # x`], c: ['e'], f: [] },
    });
    assert.deepEqual(readWrong('@a b "').wrong, ['1:6 sop.open-string']);
    assert.deepEqual(readWrong('@a b "x\\"').wrong, ['1:6 sop.open-string']);
  });

  test('a backslash at the end of a line inside a string has nothing to escape', () => {
    assert.deepEqual(readWrong('@a b "one\\\n@c d "x\\\\" \'\\'), {
      wrong: ['1:10 sop.open-escape', '2:13 sop.open-escape'],
      steps: { a: ['one'], c: ['x\\', ''] },
    });
  });

  test('__proto__ is a name like any other', () => {
    assert.deepEqual(argumentsOf('@a b $__proto__ __proto__'), [{ $: '__proto__' }, '__proto__']);
  });
});

describe('named arguments', () => {
  const names = { send: ['to', 'text', 'empty'] };

  test('key=value is one where the command takes a name like that', () => {
    assert.deepEqual(readOne('@a send to=Ann text="Dear Ann" rest $x empty= to=$y.z', names).arguments, [
      { key: 'to', value: 'Ann' },
      { key: 'text', value: 'Dear Ann' },
      'rest',
      { $: 'x' },
      { key: 'empty', value: '' },
      { key: 'to', value: { $: 'y.z' } },
    ]);
  });

  test('elsewhere it is a word like any other', () => {
    assert.deepEqual(readOne('@a send cc=Ann subject="Dear Ann" =x', names).arguments, [
      'cc=Ann',
      'subject="Dear',
      'Ann"',
      '=x',
    ]);
    assert.deepEqual(readOne('@a other to=$x', names).arguments, ['to=$x']);
    assert.deepEqual(readOne('@a send "to"=x "to=x" $to=x', names).arguments, [
      'to',
      '=x',
      'to=x',
      { $: 'to=x' },
    ]);
  });

  test('the key ends at the first =, and the value is what follows', () => {
    assert.deepEqual(readOne(`@a send to=a=b text=#fff to=$ text="x"to='y z'# end`, names), {
      name: 'a',
      command: 'send',
      arguments: [
        { key: 'to', value: 'a=b' },
        { key: 'text', value: '#fff' },
        { key: 'to', value: '$' },
        { key: 'text', value: 'x' },
        { key: 'to', value: 'y z' },
      ],
      comment: 'end',
    });
  });

  test('what has no name in front of =, and a reference, is none even where any name is taken', () => {
    const { plan } = parseSop('@a b x =y $to=z "k"=v', () => true);
    assert.deepEqual(shapeOf(plan)[0]?.arguments, ['x', '=y', { $: 'to=z' }, 'k', '=v']);
  });

  test('the command of an each says which names there are', () => {
    assert.deepEqual(readOne('@a each $list send to="A B"', names).arguments, [{ key: 'to', value: 'A B' }]);
  });

  test('places are those of the values', () => {
    const { plan, issues } = parseSop('@a send to=$x text="y" empty="', declaring(names));
    assert.deepEqual(
      plan.steps[0]?.arguments.map(({ position }) => position.column),
      [12, 20, 30],
    );
    assert.deepEqual(positionsOf(issues), ['1:30 sop.open-string']);
  });
});

describe('comments', () => {
  test('those directly above a step and the one after it are its comment', () => {
    assert.deepEqual(
      read('# Look.\n  #   Twice. # Really\n@a b x # Done.\n@c d\n#E\n@e f').map(({ comment }) => comment),
      ['Look.\nTwice. # Really\nDone.', undefined, 'E'],
    );
  });

  test('# begins one after white space and after a closing quote', () => {
    assert.deepEqual(readOne('@a b x#y #z "q').arguments, ['x#y']);
    assert.deepEqual(readOne('@a b "x"#y'), { name: 'a', command: 'b', arguments: ['x'], comment: 'y' });
    assert.deepEqual(readOne("@a b don't # stop").comment, 'stop');
  });

  test('one that says nothing is none; lines that say nothing are kept between others', () => {
    assert.equal(readOne('#\n# \n@a b #').comment, undefined);
    assert.equal(readOne('#\n# one\n#\n# two\n@a b').comment, 'one\n\ntwo');
    assert.equal(readOne('## one\n@a b').comment, '# one');
  });

  test('a blank line parts a comment from the first step', () => {
    assert.deepEqual(readOne('# license\n\n# about a\n@a b').comment, 'about a');
  });

  test('those that are not directly above a step belong to the text', () => {
    assert.deepEqual(read('@a b\none\n# two\n\nthree\n# four\n# five\n@c d'), [
      { name: 'a', command: 'b', arguments: ['one\n# two\n\nthree'] },
      { name: 'c', command: 'd', arguments: [], comment: 'four\nfive' },
    ]);
  });

  test('a text of nothing but comments is noticed', () => {
    assert.deepEqual(readWrong('@a b\n\n  # one\n\n# two\n\n@c d\n# three'), {
      wrong: ['3:3 sop.comment-in-text', '8:1 sop.comment-in-text'],
      steps: { a: ['  # one\n\n# two'], c: ['# three'] },
    });
  });
});

describe('continuation lines', () => {
  test('are one more argument, unchanged, without blank lines at the ends', () => {
    assert.deepEqual(read('@a b $x\n \n  one $y "z\n\n\ttwo # three  \n\n@c d'), [
      { name: 'a', command: 'b', arguments: [{ $: 'x' }, '  one $y "z\n\n\ttwo # three  '] },
      { name: 'c', command: 'd', arguments: [] },
    ]);
  });

  test('are joined with LF, whatever ends them', () => {
    assert.deepEqual(argumentsOf('@a b\r\none\r\ntwo\rthree'), ['one\ntwo\nthree']);
  });

  test('a guard on the first line stays one', () => {
    assert.deepEqual(readOne('@a b when $x\ntext when $y'), {
      name: 'a',
      command: 'b',
      arguments: ['text when $y'],
      when: 'x',
    });
  });
});

describe('heredocs', () => {
  test('begin at the end of the first line or on the line after it, and hold any line', () => {
    const text = '  @x y\n\n# no comment\n--end-U--\n--begin-T--';
    assert.deepEqual(argumentsOf(`@a b $x --begin-T--\n${text}\n  --end-T--  \n\n`), [{ $: 'x' }, text]);
    assert.deepEqual(argumentsOf(`@a b c\n\n \t--begin-T-- \n${text}\n--end-T--`), ['c', text]);
  });

  test('a comment may be after the opener', () => {
    assert.deepEqual(readOne('@a b --begin-T-- # about\nx\n--end-T--'), {
      name: 'a',
      command: 'b',
      arguments: ['x'],
      comment: 'about',
    });
  });

  test('hold lines exactly, joined with LF', () => {
    assert.deepEqual(argumentsOf('@a b --begin-T--\r\n\r\n one \r\n\r\n--end-T--'), ['\n one \n']);
    assert.deepEqual(argumentsOf('@a b --begin-T--\n--end-T--'), ['']);
  });

  test('may follow each other, each as one more argument', () => {
    assert.deepEqual(
      argumentsOf(
        '@a b --begin-1--\none\n--end-1--\n\n--begin-2--\ntwo\n--end-2--\n--begin-1--\n1\n--end-1--',
      ),
      ['one', 'two', '1'],
    );
  });

  test('have tags of letters, digits, _ and -', () => {
    for (const tag of ['T', 'größe_1', '-', 'a--b', '--', 'begin-x'])
      assert.deepEqual(argumentsOf(`@a b --begin-${tag}--\n@x\n--end-${tag}--`), ['@x'], tag);
    assert.deepEqual(argumentsOf('@a b --begin---'), ['--begin---']);
    assert.deepEqual(argumentsOf('@a b --begin-x.y--'), ['--begin-x.y--']);
    assert.deepEqual(argumentsOf('@a b --begin-x-'), ['--begin-x-']);
  });

  test('do not begin in quotes, as a name, as a command, nor inside text', () => {
    assert.deepEqual(argumentsOf('@a b "--begin-T--"'), ['--begin-T--']);
    assert.equal(readOne('@a --begin-T--').command, '--begin-T--');
    assert.deepEqual(argumentsOf('@a b\ntext\n--begin-T--\nmore'), ['text\n--begin-T--\nmore']);
    assert.deepEqual(readOne('@a b k=--begin-T--', { b: ['k'] }).arguments, [
      { key: 'k', value: '--begin-T--' },
    ]);
  });

  test('go with a guard when they begin on their own line', () => {
    assert.deepEqual(readOne('@a b x when not $y\n--begin-T--\ntext\n--end-T--'), {
      name: 'a',
      command: 'b',
      arguments: ['x', 'text'],
      whenNot: 'y',
    });
  });

  test('without an end are ordinary lines, so that what follows is read', () => {
    assert.deepEqual(readWrong('@a b --begin-T--\none\n--end-U--\n@c "d\n@e f\n  --begin-V--\n@g h "'), {
      wrong: ['1:6 sop.open-heredoc', '6:3 sop.open-heredoc', '7:6 sop.open-string'],
      steps: { a: ['one\n--end-U--'], c: [], e: ['  --begin-V--'], g: [''] },
    });
    assert.deepEqual(readWrong('@a b --begin-T--'), { wrong: ['1:6 sop.open-heredoc'], steps: { a: [''] } });
    assert.deepEqual(readWrong('@a b --begin-T--\n1\n--end-T--\n--begin-U--\n2'), {
      wrong: ['4:1 sop.open-heredoc'],
      steps: { a: ['1', '--begin-U--\n2'] },
    });
  });

  test('an end before the beginning is none', () => {
    assert.deepEqual(readWrong('@a b\n--end-T--\n@c d --begin-T--').wrong, ['3:6 sop.open-heredoc']);
  });

  test('nothing else may follow but the comment of the next step', () => {
    assert.deepEqual(
      readWrong(
        '@a b --begin-T--\n--end-T--\n  one\n# two\n\nthree\n\n# four\n@c d --begin-T--\n--end-T--\n# five',
      ),
      {
        wrong: ['3:3 sop.after-heredoc', '6:1 sop.after-heredoc', '11:1 sop.after-heredoc'],
        steps: { a: [''], c: [''] },
      },
    );
    assert.deepEqual(read('@a b --begin-T--\n--end-T--\n# c\n@c d').at(1)?.comment, 'c');
  });
});

describe('guards', () => {
  test('when and when not with a reference end a step', () => {
    assert.deepEqual(read('@a b x when $y.z # why\n@c d when not $y\n@e each $l f when $g'), [
      { name: 'a', command: 'b', arguments: ['x'], when: 'y.z', comment: 'why' },
      { name: 'c', command: 'd', arguments: [], whenNot: 'y' },
      { name: 'e', command: 'f', arguments: [], each: 'l', when: 'g' },
    ]);
  });

  test('in quotes, without a reference, and as a command they are text', () => {
    assert.deepEqual(argumentsOf('@a b "when" $x'), ['when', { $: 'x' }]);
    assert.deepEqual(argumentsOf('@a b when "not" $x'), ['when', 'not', { $: 'x' }]);
    assert.deepEqual(argumentsOf('@a b when x'), ['when', 'x']);
    assert.deepEqual(argumentsOf('@a b when'), ['when']);
    assert.deepEqual(argumentsOf('@a b not $x'), ['not', { $: 'x' }]);
    assert.deepEqual(argumentsOf('@a when $x'), [{ $: 'x' }]);
    assert.deepEqual(argumentsOf('@a when not $x'), ['not', { $: 'x' }]);
    assert.deepEqual(readOne('@a b when k=$x', { b: ['k'] }).arguments, [
      'when',
      { key: 'k', value: { $: 'x' } },
    ]);
  });

  test('one that is not last is text, and noticed', () => {
    assert.deepEqual(
      readWrong('@a b when $x y\n@c d when not $x --begin-T--\n1\n--end-T--\n@e f when $x when $y'),
      {
        wrong: ['1:6 sop.not-last', '2:6 sop.not-last', '5:6 sop.not-last'],
        steps: {
          a: ['when', { $: 'x' }, 'y'],
          c: ['when', 'not', { $: 'x' }, '1'],
          e: ['when', { $: 'x' }],
        },
      },
    );
    assert.deepEqual(readWrong('@a b --begin-T-- when $x'), {
      wrong: ['1:6 sop.not-last'],
      steps: { a: ['--begin-T--'] },
    });
  });
});

describe('each', () => {
  test('with a list and a command', () => {
    assert.deepEqual(readOne('@all  each  $list.items  send  $item  x'), {
      name: 'all',
      command: 'send',
      arguments: [{ $: 'item' }, 'x'],
      each: 'list.items',
    });
  });

  test('without a list it is a command of that name', () => {
    for (const script of ['@a each', '@a each x $y', '@a each "$x" y', '@a each $', '@a each when $x'])
      assert.deepEqual([readOne(script).command, readOne(script).each], ['each', undefined], script);
    assert.deepEqual([readOne('@a Each $x').command, readOne('@a b each $x').command], ['Each', 'b']);
    assert.deepEqual(
      [readOne('@a each $x each $y').command, readOne('@a each $x when $y').command],
      ['each', 'when'],
    );
  });

  test('without a command it is not a step', () => {
    assert.deepEqual(readWrong('@a each $x\n@b each $x # c'), {
      wrong: ['1:1 sop.no-command', '2:1 sop.no-command'],
      steps: {},
    });
  });
});

describe('what cannot be read', () => {
  test('a step without a name or a command is left out, and read for other errors', () => {
    assert.deepEqual(readWrong('  @\n@ b "c\n@d\n@e # f\n@g h\n@ i --begin-T--\n@j\n--end-T--'), {
      wrong: [
        '1:3 sop.no-name',
        '1:3 sop.no-command',
        '2:1 sop.no-name',
        '2:5 sop.open-string',
        '3:1 sop.no-command',
        '4:1 sop.no-command',
        '6:1 sop.no-name',
      ],
      steps: { g: [] },
    });
  });

  test('text before the first step is one error per stretch', () => {
    assert.deepEqual(readWrong('one\ntwo\n\n  three\n# four\nfive\n# six\n@a b'), {
      wrong: ['1:1 sop.no-declaration', '4:3 sop.no-declaration', '6:1 sop.no-declaration'],
      steps: { a: [] },
    });
    assert.deepEqual(readWrong('nothing else').wrong, ['1:1 sop.no-declaration']);
  });

  test('all errors are found at once, in the order of their places', () => {
    const script = 'text\n@ b\n@c\n@d e "f\n@g h "i\\\n@j k --begin-l--\n@m n --begin-o-- p\n@q r\n# s\n';
    assert.deepEqual(readWrong(script).wrong, [
      '1:1 sop.no-declaration',
      '2:1 sop.no-name',
      '3:1 sop.no-command',
      '4:6 sop.open-string',
      '5:8 sop.open-escape',
      '6:6 sop.open-heredoc',
      '7:6 sop.not-last',
      '9:1 sop.comment-in-text',
    ]);
    assert.deepEqual(readWrong('@a b when $x c "d').wrong, ['1:6 sop.not-last', '1:16 sop.open-string']);
  });

  test('every finding says what, and what to do', () => {
    const script = 'text\n@ b\n@c\n@d e "f\n@g h "i\\\n@j k --begin-l--\n@m n --begin-o-- p\n@q r\n# s\n';
    for (const { code, message, hint = '' } of parseSop(script).issues) {
      assert.match(message, /^[A-Z"].*\.$/, code);
      assert.match(hint, /^[A-Z].*[.]$/, code);
    }
    const [issue] = parseSop('@total each $list').issues;
    assert.deepEqual(issue, {
      level: 'error',
      code: 'sop.no-command',
      message: 'The step "total" has no command.',
      line: 1,
      column: 1,
      hint: 'Write a command on the same line, for example "@total each $list command".',
    });
  });

  test('what only may be a mistake is a warning', () => {
    const { issues } = parseSop('@a b when $x c\n# d\n\n');
    assert.deepEqual(
      issues.map(({ level }) => level),
      ['warning', 'warning'],
    );
  });

  test('a script that is too long is not read', () => {
    const most = `@a b ${'x'.repeat(1_000_000)}`.slice(0, 1_000_000);
    assert.deepEqual(parseSop(most).issues, []);
    const { plan, issues } = parseSop(`${most}x`);
    assert.deepEqual([plan.steps, positionsOf(issues)], [[], ['1:1 sop.too-long']]);
  });

  test('what is not text is not read', () => {
    for (const script of [undefined, null, 7, ['@a b'], { length: 3 }]) {
      const { plan, issues } = parseSop(script as unknown as string);
      assert.deepEqual([plan.steps, positionsOf(issues)], [[], ['1:1 sop.not-text']]);
    }
  });
});

test('places are those of the things themselves, counted from 1', () => {
  const { plan } = parseSop(`\n  @all each $list  send "x y" $item when not $off\n\n   text`);
  assert.deepEqual(plan.steps, [
    {
      name: 'all',
      command: 'send',
      arguments: [
        { kind: 'text', text: 'x y', position: { line: 2, column: 25 } },
        { kind: 'reference', path: 'item', position: { line: 2, column: 31 } },
        { kind: 'text', text: '   text', position: { line: 4, column: 4 } },
      ],
      each: { kind: 'reference', path: 'list', position: { line: 2, column: 13 } },
      when: { of: { kind: 'reference', path: 'off', position: { line: 2, column: 46 } }, isNegated: true },
      position: { line: 2, column: 3 },
      commandPosition: { line: 2, column: 20 },
    },
  ]);
});
