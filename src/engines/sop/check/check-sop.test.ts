import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkSop, type CheckedScript } from './check-sop.ts';
import type { SopCommand } from '../command.ts';

const run = (): null => null;
const commands: readonly SopCommand[] = [
  {
    name: 'say',
    run,
    input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
  {
    name: 'add',
    run,
    input: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'integer' }, note: { type: 'string' } },
      required: ['a', 'b'],
    },
  },
  {
    name: 'paint',
    run,
    input: {
      type: 'object',
      properties: {
        colour: { enum: ['red', 'green'] },
        layers: { type: 'array', items: { type: 'number' } },
      },
    },
  },
  {
    name: 'mark',
    run,
    argumentNames: [],
    input: { type: 'object', properties: { place: { type: 'string', minLength: 3 } }, minProperties: 1 },
  },
  { name: 'now', run, input: { type: 'object', properties: {}, additionalProperties: false } },
  { name: 'shell', run, isLiteral: true },
  {
    name: 'start',
    run,
    isLiteral: true,
    input: { type: 'object', properties: { command: { type: 'string' }, wait: { type: 'number' } } },
  },
  { name: 'pick', run },
];

/** Scripts with all their issues: `line:column level code message hint`. */
const cases: Readonly<Record<string, readonly (readonly [script: string, ...expected: string[]])[]>> = {
  'a plan that is none': [
    ['', '1:1 warning sop.empty "@name command"'],
    ['\n# only a comment\n', '1:1 warning sop.empty "@name command"'],
  ],
  variables: [
    ['@a pick\n@b pick\n  @a pick', '3:3 error sop.duplicate "a"'],
    ['@orders pick\n@b pick $order', '2:9 error sop.undefined $order "orders"'],
    [
      '@orders pick\n@b pick $ordrs.first when $qqqq',
      '2:9 error sop.undefined $ordrs.first "orders"',
      '2:27 error sop.undefined $qqqq',
    ],
    ['@a pick $input.name', '1:9 error sop.undefined $input.name'],
    ['@a pick\n@b pick ${a} $a, ($a) $a.b)', '2:9 error sop.undefined $a', '2:14 error sop.undefined $a $a'],
    ['@__proto__ pick $constructor\n@constructor pick\n@toString pick $__proto__'],
    ['@a pick $toString', '1:9 error sop.undefined $toString'],
  ],
  commands: [
    ['@a pikc', '1:4 error sop.unknown-command "pikc" "pick"'],
    [
      '@a xyzzyx\n@b toString',
      '1:4 error sop.unknown-command "xyzzyx"',
      '2:4 error sop.unknown-command "toString"',
    ],
    [
      '@a = pick\n@b=pick x\n@c each x pick\n@d each',
      '1:4 error sop.unknown-command "=" "=" "@a command"',
      '2:9 error sop.unknown-command "x" "b=pick" "=" "@b pick"',
      '3:4 error sop.unknown-command "each" "each" "@c each $list command"',
      '4:4 error sop.unknown-command "each" "each" "@d each $list command"',
    ],
    [
      '@a assign ls\n@b shell $a when $a\n@c each $a shell rm',
      '2:10 error sop.reference-in-command "shell"',
      '3:9 error sop.reference-in-command "shell"',
    ],
    ['@a assign ls\n@b shell "$a" -l when not $a'],
    [
      '@l pick\n@a each $l start stop\n@b start stop 5\n@c start "stop" 5\n@d start stop wait=5\n@e start stop now',
      '2:9 error sop.reference-in-command "start"',
      '3:15 warning sop.unlikely-text "5" "start" "stop"',
      '6:15 error sop.bad-argument "now" "wait" "start"',
    ],
  ],
  circles: [
    ['@a pick $a', '1:1 error sop.cycle "a"'],
    ['@x pick $c\n@a pick $b\n@b pick $c\n@c pick $a', '2:1 error sop.cycle'],
    [
      '@a pick when $b\n@b each $a pick\n@c pick $d\n@d pick $c',
      '1:1 error sop.cycle',
      '3:1 error sop.cycle',
    ],
  ],
  items: [
    [
      '@a pick $item.name\n@b each $index pick',
      '1:9 error sop.item-outside-each $item "each" $list',
      '2:9 error sop.item-outside-each $index "each" $list',
    ],
    ['@a pick\n@b each $a pick $item when $item.isOpen', '2:28 error sop.item-in-guard "when" $item'],
    ['@item pick\n@b pick $item\n@c each $item pick $item.x'],
  ],
  arguments: [
    ['@a add 1 2 x y z', '1:14 error sop.too-many-arguments "add"'],
    [
      '@a now and\n@b mark here',
      '1:8 error sop.too-many-arguments "now"',
      '2:9 error sop.too-many-arguments "mark"',
    ],
    [
      '@a add note=x\n@b say',
      '1:4 error sop.missing-argument "add" "a"',
      '1:4 error sop.missing-argument "add" "b"',
      '2:4 error sop.missing-argument "say" "text"',
    ],
    ['@a add a=1 a=2 3', '1:14 error sop.repeated-argument "a" "add"'],
    [
      '@a add one 1.5\n@b add 1 b=true',
      '1:8 error sop.bad-argument "one" "a" "add"',
      '1:12 error sop.bad-argument "1.5" "b" "add"',
      '2:12 error sop.bad-argument "true" "b" "add"',
    ],
    [
      '@a paint gren 1 x 3\n@b paint blue',
      '1:10 error sop.bad-argument "gren" "colour" "paint" "green"',
      '1:17 error sop.bad-argument "x" "layers" "paint"',
      '2:10 error sop.bad-argument "blue" "colour" "paint"',
    ],
    ['@a mark place=ab', '1:15 error sop.bad-argument "ab" "place" "mark"'],
    ['@a mark', '1:4 error sop.bad-argument "mark"'],
    [
      '@a say kind txt=x\n@b say "txt=x" tex.t=x\n@c say\n  txt=x',
      '1:13 warning sop.unlikely-name "say" "txt" "text"',
    ],
    [
      '@a add one 2 x y\n@b add one 2 x note=y b=z',
      '1:16 error sop.too-many-arguments "add"',
      '2:12 error sop.too-many-arguments "add"',
      '2:25 error sop.bad-argument "z" "b" "add"',
    ],
    [
      '@l pick\n@a each $l add two\n@b each $l add 1 2 3',
      '2:16 error sop.bad-argument "two" "b" "add" $item',
      '3:20 error sop.too-many-arguments "add" $item',
    ],
  ],
  'what was probably meant': [
    [
      '@a pick\n@b pick "so: $a" \'$a.x\' "$ab" "5$" \\$a\n@c shell "ls $a"\n@d pick\n  Dear $a',
      '2:9 warning sop.unlikely-text $a',
      '2:18 warning sop.unlikely-text $a',
    ],
    [
      '@a pick\n@b pick x when a\n@c pick x when not a.y\n@d pick x when !$a\n@e pick say when ready\n@f pick x "when" a\n@g pick when a b',
      '2:11 warning sop.unlikely-text "when" $a',
      '3:11 warning sop.unlikely-text "when" $a.y',
      '4:11 warning sop.unlikely-text "when" $a',
    ],
    ['@l pick "$item"\n@b each $l pick "no. $index"', '2:17 warning sop.unlikely-text $index'],
    [
      '@a pick\n@b pick list=$a.x x$a list=\\$a "list=x" list=$no\n@c say text=$a',
      '2:9 warning sop.unlikely-text "list=$a.x" "list" "list="',
    ],
    ['@a say --text\n@b say "--text" --other', '1:8 warning sop.unlikely-text "--text"'],
    [
      '@a pick\n@b pick $a. $a.x, $a.x\n@a.y! pick\n@c pick $a.y!',
      '2:9 warning sop.unlikely-text "." $a $a',
      '2:13 warning sop.unlikely-text "," $a.x $a.x',
    ],
  ],
};

for (const [what, rows] of Object.entries(cases)) {
  describe(`checking ${what}`, () => {
    for (const [script, ...expected] of rows) {
      test(JSON.stringify(script), () => {
        const checked = checkSop(script, commands);
        assert.deepEqual(formatIssues(checked), expected);
        assert.equal(
          checked.plan === undefined,
          expected.some((line) => line.includes(' error ')),
        );
      });
    }
  });
}

test('all that is wrong is reported at once, in the order of places, syntax included', () => {
  const script = '@a pikc $b "open\n@b add x $c\n@b say\n@d pick $d';
  assert.deepEqual(
    checkSop(script, commands).issues.map(({ code, line }) => `${line} ${code}`),
    [
      '1 sop.unknown-command',
      '1 sop.open-string',
      '2 sop.bad-argument',
      '2 sop.undefined',
      '3 sop.duplicate',
      '3 sop.missing-argument',
      '4 sop.cycle',
    ],
  );
});

test('arguments are not judged where the line cannot be read', () => {
  assert.deepEqual(
    formatIssues(checkSop('@a add "1 2', commands)).map((line) => line.slice(0, 25)),
    ['1:8 error sop.open-string'],
  );
});

test('what is not text is an issue', () => {
  const { issues, plan } = checkSop(5 as unknown as string, commands);
  assert.deepEqual([plan, issues.map(({ code }) => code)], [undefined, ['sop.not-text']]);
});

describe('a plan without errors', () => {
  test('reports what each step needs, each once: the list, the arguments, the guard', () => {
    const { plan } = checkSop(
      '@a pick\n@b pick\n@c pick\n@d each $c pick $b $a.x $b when not $a.y',
      commands,
    );
    const step = plan?.steps[3];
    assert.deepEqual(step?.needs, ['c', 'b', 'a']);
    assert.deepEqual(step.values, ['b', 'a']);
    assert.deepEqual(step.list, { variable: 'c', keys: [] });
    assert.deepEqual(step.guard, { variable: 'a', keys: ['y'], isNegated: true });
    assert.equal(step.order, 3);
    assert.equal(step.runs, commands.at(-1));
  });

  test('may refer to what is declared later', () => {
    assert.deepEqual(checkSop('@a pick $b\n@b pick', commands).plan?.steps[0]?.needs, ['b']);
  });

  for (const [reference, variable, keys] of [
    ['$a', 'a', []],
    ['$a.b', 'a.b', []],
    ['$a.b.c', 'a.b', ['c']],
    ['$a.c.b', 'a', ['c', 'b']],
    ['$a.bb', 'a', ['bb']],
    ['$a.', 'a', ['']],
    ['$a..b', 'a', ['', 'b']],
    ['$.a', '.a', []],
  ] as const) {
    test(`${reference} is ${JSON.stringify(keys)} in "${variable}", the longest name there is`, () => {
      const { plan } = checkSop(`@a pick\n@a.b pick\n@.a pick\n@z pick when ${reference}`, commands);
      assert.deepEqual(plan?.steps[3]?.guard, { variable, keys, isNegated: false });
    });
  }

  test('takes a supplied input, for which nothing waits', () => {
    const { plan } = checkSop('@a pick $input.name when $input', commands, { hasInput: true });
    assert.deepEqual([plan?.takesInput, plan?.steps[0]?.needs], [true, []]);
    assert.deepEqual(
      plan?.steps[0]?.inputFrom((name) => ({ name })),
      { input: 'input', arguments: ['input'] },
    );
    assert.equal(checkSop('@a pick', commands, { hasInput: true }).plan?.takesInput, false);
  });

  test('declares its own input before a supplied one', () => {
    const { plan } = checkSop('@input pick\n@a pick $input', commands, { hasInput: true });
    assert.deepEqual([plan?.takesInput, plan?.steps[1]?.needs], [false, ['input']]);
  });
});

test('the steps of a script with errors are there for drawing', () => {
  const { steps } = checkSop('@a pick $b $zz\n@b nothing', commands);
  assert.deepEqual(
    steps.map(({ name, needs }) => ({ name, needs })),
    [
      { name: 'a', needs: ['b'] },
      { name: 'b', needs: [] },
    ],
  );
});

test('commands of an index are looked up once each', () => {
  const asked: string[] = [];
  const find = (name: string): SopCommand | undefined => {
    asked.push(name);
    return commands.find((command) => command.name === name);
  };
  checkSop('@a say text=1\n@b say text=2\n@c assign x=1', { find, names: () => [] });
  assert.deepEqual(asked, ['say', 'assign']);
});

describe('a long script', () => {
  const lines = (count: number, line: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => line(index)).join('\n');

  test('may have 10,000 steps in a chain', () => {
    const { plan, issues } = checkSop(
      lines(10_000, (n) => `@v${n + 1} pick ${n === 0 ? '' : `$v${n}`}`),
      commands,
    );
    assert.deepEqual([plan?.steps.length, issues], [10_000, []]);
  });

  test('may not have more', () => {
    assert.deepEqual(
      formatIssues(
        checkSop(
          lines(10_002, (n) => `@v${n} pick`),
          commands,
        ),
      ),
      ['10001:1 error sop.too-many-steps "each"'],
    );
  });

  test('may be one circle, of which the beginning is shown', () => {
    const script = lines(10_000, (n) => `@v${n} pick $v${(n + 1) % 10_000}`);
    assert.deepEqual(formatIssues(checkSop(script, commands)), ['1:1 error sop.cycle']);
  });

  for (const [what, script, count] of [
    ['of unknown words', lines(10_000, (n) => `@name${n} pick $other${n}`), 10_000],
    ['of unknown commands', lines(10_000, (n) => `@name${n} other${n}`), 10_000],
    ['with 130,000 references in one step', `@b pick\n@a shell ${'$b '.repeat(130_000)}`, 130_000],
    ['with 130,000 equal keys in one step', `@a add 1 ${'b=1 '.repeat(130_000)}`, 129_999],
    ['with 65,000 guards that are none', `@a pick ${'when a '.repeat(65_000)}`, 1],
    ['with a way of 900,000 dots', `@a pick\n@b pick $a${'.'.repeat(900_000)}`, 0],
    ['with a name of 400,000 dots', `@${'.'.repeat(400_000)} pick\n@b pick $${'.'.repeat(400_001)}`, 0],
  ] as const) {
    test(`${what} is checked`, () => {
      assert.equal(checkSop(script, commands).issues.length, count);
    });
  }
});

/** Each issue's position, level and code, with the names that its message and hint quote. */
function formatIssues({ issues }: CheckedScript): readonly string[] {
  return issues.map(({ line, column, level, code, message, hint = '' }) => {
    const names = `${message} ${hint}`.match(/"[^"]*"|\$[\w.]*\w/g) ?? [];
    return [`${line}:${column}`, level, code, ...names].join(' ');
  });
}
