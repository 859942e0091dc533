import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../../../core/json.ts';
import { hasCommands, joinPieces, renderBody, type RenderedBody, type RenderFacts } from './render-skill.ts';

const context = { session: 's-1', skillDir: '/skills/my skill', projectDir: '/work' };

function render(
  body: string,
  args?: Json,
  argumentNames: readonly string[] = [],
  more: Partial<RenderFacts> = {},
): RenderedBody {
  return renderBody(body, {
    args,
    argumentNames,
    positional: 'declared',
    context,
    allowDash: false,
    ...more,
  });
}

function textOf(
  body: string,
  args?: Json,
  argumentNames: readonly string[] = [],
  more: Partial<RenderFacts> = {},
): string {
  return joinPieces(render(body, args, argumentNames, more).pieces, ({ command }) => `<${command}>`);
}

function commandOf(
  body: string,
  args?: Json,
  argumentNames: readonly string[] = [],
  allowDash = false,
): string {
  const commands = render(body, args, argumentNames, { allowDash }).pieces.filter(
    (piece) => typeof piece !== 'string',
  );
  assert.equal(commands.length, 1);
  return commands[0]?.command ?? '';
}

type Case = readonly [body: string, args: Json | undefined, text: string, names?: readonly string[]];

const cases: Readonly<Record<string, readonly Case[]>> = {
  'all arguments': [
    ['$ARGUMENTS', 'a b', 'a b'],
    ['$ARGUMENTS', `"p q"  'r'`, `"p q"  'r'`],
    ['[$ARGUMENTS]', undefined, '[]'],
    ['[$ARGUMENTS]', null, '[]'],
    ['$ARGUMENTS', { a: 1, b: ['x'] }, '{"a":1,"b":["x"]}'],
    ['$ARGUMENTS', ['a', 2], '["a",2]'],
    ['$ARGUMENTS $0', 42, '42 42'],
    ['$ARGUMENTS $0', false, 'false false'],
    ['$ARGUMENTS-x $ARGUMENTS.', 'a', 'a-x a.'],
    ['$ARGUMENTS', { ARGUMENTS: 'x' }, '{"ARGUMENTS":"x"}'],
    ['$ARGUMENTS', 'x', 'x', ['ARGUMENTS']],
    ['$ARGUMENTS[x]', 'a', 'a[x]'],
  ],
  'arguments by position': [
    ['$0,$1', '"p q" r', 'p q,r'],
    ['$ARGUMENTS[0]=$0 $ARGUMENTS[1]', 'k v', 'k=k v'],
    ['$0 $5 $ARGUMENTS[5]', 'k', 'k $5 $ARGUMENTS[5]'],
    ['$0', `''`, ''],
    ['$10 $1', 'a b c d e f g h i j k', 'k b'],
    ['$10', 'a b', '$10\n\nARGUMENTS: a b'],
    ['costs $1.50', 'a b', 'costs b.50'],
    ['costs $1.50', 'a', 'costs $1.50\n\nARGUMENTS: a'],
    ['$0th $0_', 'a', 'ath a_'],
    ['$$0', 'a', '$a'],
    ['$0 $1 $2', { b: 1, a: 'x', c: null }, '1 x '],
    ['$0 $1 $2', { b: 1, a: 'x' }, 'x 1 $2', ['a', 'b']],
    ['$0 $1', { b: 1 }, '$0 1', ['a', 'b']],
    ['$0 $1', ['a b', { c: 1 }], 'a b {"c":1}'],
    ['$0 $7', { 7: 'x', a: 'y' }, 'x $7'],
  ],
  'arguments by name': [
    ['$pattern in $dir', { pattern: 'x', dir: '/' }, 'x in /'],
    ['$pattern in $dir', 'x "a b"', 'x in a b', ['pattern', 'dir']],
    ['$pattern in $dir', ['x', 'y'], 'x in y', ['pattern', 'dir']],
    ['[$dir]', 'x', '[]', ['pattern', 'dir']],
    ['[$dir]', undefined, '[]', ['dir']],
    ['[$dir]', { pattern: 1 }, '[]', ['dir']],
    ['$x ${X} $patterns', 'a', '$x ${X} $patterns\n\nARGUMENTS: a', ['pattern']],
    ['${pattern}s', 'x', 'xs', ['pattern']],
    ['${key}s', { key: 'x' }, 'xs'],
    ['$issue-number $issue', 'a b', 'a b', ['issue-number', 'issue']],
    ['$env-prod $env-', 'a', 'a-prod a-', ['env']],
    ['$größe $2fa', 'a b', 'a b', ['größe', '2fa']],
    [
      '$__proto__ $constructor $toString',
      { a: 1 },
      '$__proto__ $constructor $toString\n\nARGUMENTS: {"a":1}',
    ],
    ['$HOME', { HOME: 'x' }, 'x'],
  ],
  'the session and the folders': [
    ['${SKILLED_SESSION_ID} ${CLAUDE_SESSION_ID} ${AGENTICK_SESSION_ID}', undefined, 's-1 s-1 s-1'],
    ['${SKILLED_SKILL_DIR}/a ${CLAUDE_SKILL_DIR}', undefined, '/skills/my skill/a /skills/my skill'],
    ['${SKILLED_PROJECT_DIR} ${CLAUDE_PROJECT_DIR}', undefined, '/work /work'],
    ['${HOME} ${AWS_SECRET_ACCESS_KEY} $PATH ${}', undefined, '${HOME} ${AWS_SECRET_ACCESS_KEY} $PATH ${}'],
    ['$SKILLED_SESSION_ID ${skilled_session_id}', undefined, '$SKILLED_SESSION_ID ${skilled_session_id}'],
    ['${CLAUDE_SESSION_ID}', 'a', 's-1\n\nARGUMENTS: a'],
  ],
  backslashes: [
    ['\\$0 $0', 'a', '$0 a'],
    ['\\$ARGUMENTS \\$ARGUMENTS[0] $0', 'a', '$ARGUMENTS $ARGUMENTS[0] a'],
    ['\\$name \\${name} $name', 'a', '$name ${name} a', ['name']],
    ['\\${CLAUDE_SKILL_DIR}', undefined, '${CLAUDE_SKILL_DIR}'],
    ['\\\\$0', 'a', '\\a'],
    ['\\\\\\$0 $0', 'a', '\\$0 a'],
    ['\\\\\\\\$0', 'a', '\\\\a'],
    ['\\$9', 'a', '$9\n\nARGUMENTS: a'],
    ['\\$x \\\\$x \\n \\\\ $0', 'a', '\\$x \\\\$x \\n \\\\ a'],
    ['$0\\$0\\\\$0', 'a', 'a$0\\a'],
  ],
  'the added line': [
    ['Do it.', 'a b', 'Do it.\n\nARGUMENTS: a b'],
    ['Do it.\n', 'a', 'Do it.\n\nARGUMENTS: a'],
    ['Do it.\n\n', 'a', 'Do it.\n\nARGUMENTS: a'],
    ['Do it.\r\n\r\n', 'a', 'Do it.\r\n\r\nARGUMENTS: a'],
    ['', 'a', 'ARGUMENTS: a'],
    ['Do it.', { a: 1 }, 'Do it.\n\nARGUMENTS: {"a":1}'],
    ['Do it.', 0, 'Do it.\n\nARGUMENTS: 0'],
    ['Do it.', ' \n', 'Do it.'],
    ['Do it.', {}, 'Do it.'],
    ['Do it.', [], 'Do it.'],
    ['Do it.', undefined, 'Do it.'],
    ['[$b]', 'a', '[]', ['a', 'b']],
    ['\\$0', 'a', '$0\n\nARGUMENTS: a'],
    ['!`ls $0`', 'a', "<ls 'a'>"],
    ['!`ls`', 'a', '<ls>\n\nARGUMENTS: a'],
  ],
  'what is put in': [
    ['$ARGUMENTS', '$1 secret', '$1 secret'],
    ['$0', "'$ARGUMENTS ${SKILLED_SKILL_DIR} \\$0'", '$ARGUMENTS ${SKILLED_SKILL_DIR} \\$0'],
    ['a $ARGUMENTS', '!`id`', 'a !`id`'],
    ['$ARGUMENTS', '```!\nid\n```', '```!\nid\n```'],
    ['$0`id`', '!', '!`id`'],
    ['!$0', '"`id`"', '!`id`'],
    ['$0', { a: '$&$1$`' }, '$&$1$`'],
  ],
};
for (const [what, group] of Object.entries(cases)) {
  describe(what, () => {
    for (const [body, args, text, names] of group) {
      test(`${JSON.stringify(body)} with ${JSON.stringify(args)}`, () => {
        assert.equal(textOf(body, args, names), text);
      });
    }
  });
}

test('a folder that there is not stays literal', () => {
  const nowhere = { session: 's', skillDir: undefined, projectDir: undefined };
  assert.equal(
    textOf('${SKILLED_SKILL_DIR} ${CLAUDE_PROJECT_DIR}', undefined, [], { context: nowhere }),
    '${SKILLED_SKILL_DIR} ${CLAUDE_PROJECT_DIR}',
  );
});

test('prose and tables that look like commands are text', () => {
  const body = '`!` triggers history (`set +H`\n\n| a | b |\n|---|---|\n| `Float!` | `Float!` |\n';
  assert.deepEqual(render(body).pieces, [body]);
  assert.equal(hasCommands(body), false);
});

describe('a command', () => {
  test('reports its position and the original text', () => {
    const body = 'a\n\nb !`ls $0` c\n```!\nid\n\n  ls\n```\nd';
    assert.deepEqual(render(body, 'x y').pieces, [
      'a\n\nb ',
      { kind: 'inline', source: '!`ls $0`', command: "ls 'x'", at: 5, line: 3 },
      ' c\n',
      { kind: 'block', source: '```!\nid\n\n  ls\n```', command: 'id\n\n  ls\n', at: 16, line: 4 },
      '\nd',
    ]);
    assert.equal(hasCommands(body), true);
  });

  test('in an empty fence is none, and the fence is gone', () => {
    assert.deepEqual(render('a\n```!\n \n```\nb').pieces, ['a\n', '\nb']);
    assert.equal(hasCommands('```!\n```'), false);
  });

  test('has line ends that a shell can read', () => {
    assert.equal(commandOf('```!\r\nid\r\nls $0\r\n```', 'a'), "id\nls 'a'\n");
  });

  test('gets an argument as one word, whatever is in it', () => {
    const body = '!`echo $ARGUMENTS`';
    assert.equal(commandOf(body, 'x; touch PWNED'), "echo 'x; touch PWNED'");
    for (const args of ['$(id)', '`id`', `"'"`, 'a\nb', '!`id`'])
      assert.match(commandOf(body, args), /^echo '[^]*'$/);
    assert.equal(commandOf('!`echo $0 "$1" \'$name\' ${name}`', 'a b', ['name']), `echo 'a' "b" 'a' 'a'`);
  });

  test('keeps the variables of the shell', () => {
    assert.equal(commandOf('!`echo $HOME ${PATH} $1 $x $? $$`', 'a'), 'echo $HOME ${PATH} $1 $x $? $$');
    assert.equal(commandOf('!`echo $HOME $key`', { HOME: '/x', key: 'v' }), "echo $HOME 'v'");
    assert.equal(commandOf('!`echo $HOME`', { HOME: '/x' }, ['HOME']), "echo '/x'");
  });

  test('keeps a placeholder after a backslash, without it', () => {
    assert.equal(commandOf("!`awk '{print \\$1}' $0`", 'a b'), "awk '{print $1}' 'a'");
    assert.equal(commandOf('!`echo \\\\\\$0`', 'a'), 'echo \\$0');
  });

  test('finds the programs of its folder, blanks or not', () => {
    assert.equal(
      commandOf('!`${CLAUDE_SKILL_DIR}/scripts/run.sh $0`', 'a'),
      "'/skills/my skill'/scripts/run.sh 'a'",
    );
    assert.equal(commandOf('!`python "${SKILLED_SKILL_DIR}/run.py"`'), 'python "/skills/my skill/run.py"');
  });

  test('gets the arguments as variables too', () => {
    assert.deepEqual(render('!`ls`', 'a "b c"', ['first-name', 'x', 'größe']).environment, {
      SKILLED_ARG_0: 'a',
      SKILLED_ARG_1: 'b c',
      SKILLED_ARG_FIRST_NAME: 'a',
      SKILLED_ARG_X: 'b c',
      SKILLED_ARG_GR_SSE: '',
      SKILLED_ARGUMENTS: 'a "b c"',
    });
    assert.deepEqual(render('!`ls`', { b: 1 }, ['a', 'b']).environment, {
      SKILLED_ARG_1: '1',
      SKILLED_ARG_A: '',
      SKILLED_ARG_B: '1',
      SKILLED_ARGUMENTS: '{"b":1}',
    });
    assert.deepEqual(render('$0', 'a').environment, {});
    assert.deepEqual(render('!`ls`').environment, {});
  });

  test('gets no variable that no process can have, unless it asks for it', () => {
    const long = 'x'.repeat(200_000);
    assert.deepEqual(render('!`ls`', { a: long, b: 'y\0', c: 'z' }).environment, {
      SKILLED_ARG_2: 'z',
      SKILLED_ARG_C: 'z',
    });
    assert.throws(() => render('!`echo "$SKILLED_ARG_A"`', { a: long }), {
      code: 'usage.bad-input',
      message: /SKILLED_ARG_A/,
    });
  });
});

describe('a value that a command cannot be given', () => {
  const refused: readonly (readonly [body: string, args: Json, message: RegExp, hint: RegExp])[] = [
    [
      'a\n\n!`bash -c "ls $0"`',
      'x',
      /^The command "bash -c "ls \$0"" on line 3 .* \$0: .* only as data\.$/,
      /"\$SKILLED_ARG_0".*\\\$0/,
    ],
    [
      '!`x=$0; echo $((x))`',
      'a[$(id)]',
      /\$0: the command makes the shell evaluate variables/,
      /a script of the skill/,
    ],
    [
      '```!\ncat <<E\n$name\nE\n```',
      { name: 'x' },
      /line 1 .*\$name: in this position/,
      /"\$SKILLED_ARG_NAME"/,
    ],
    ['!`ls # $ARGUMENTS`', 'x', /\$ARGUMENTS: in this position/, /"\$SKILLED_ARGUMENTS"/],
    ['!`$0 --version`', 'ls', /which program runs/, /script/],
    ['!`rm $0`', '-rf', /begins with a dash/, /-- before \$0.*allow-dash: true/],
    ['!`ls $a`', { a: 'x\0' }, /NUL/, /Remove/],
    ['!`ls $0`', 'x'.repeat(100_000), /too long/, /shorter/],
    ['!`ls \0`', 'x', /NUL/, /file/],
  ];
  for (const [body, args, message, hint] of refused) {
    test(`is refused in ${JSON.stringify(body)}`, () => {
      assert.throws(() => render(body, args), { code: 'usage.bad-input', message, hint });
    });
  }

  test('may begin with a dash where the file says so, or after two', () => {
    assert.equal(commandOf('!`rm $0`', '-rf', [], true), "rm '-rf'");
    assert.equal(commandOf('!`rm -- $0`', '-rf'), "rm -- '-rf'");
  });
});

test('every replacement is reported, commands included', () => {
  assert.deepEqual(
    render('$0 \\$0 $9\n!`ls "$name"` ${SKILLED_SESSION_ID}', 'a b', ['x', 'name']).replacements,
    [
      { placeholder: '$0', value: 'a', at: 0 },
      { placeholder: '$name', value: 'b', at: 16 },
      { placeholder: '${SKILLED_SESSION_ID}', value: 's-1', at: 24 },
    ],
  );
});

test('invisible characters in arguments are kept and reported', () => {
  const hiding = 'a\u200bb';
  assert.equal(textOf('$0', hiding), hiding);
  assert.equal(render('x', hiding).hidden, true);
  assert.equal(render('x', { a: hiding }).hidden, true);
  assert.equal(render('x', { [hiding]: 1 }).hidden, true);
  assert.equal(render('x\u200b', 'a 👩\u200d💻\n').hidden, false);
});

test('of a name that is declared twice the first counts', () => {
  const facts = { args: 'one two three', argumentNames: ['a', 'a', 'b'], context, allowDash: false };
  assert.equal(
    joinPieces(renderBody('$a $b', facts).pieces, () => ''),
    'one three',
  );
});
