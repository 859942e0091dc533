import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { randomTokens } from '../../test/support/random-tokens.ts';
import { insertValues, type Insertion, type Refusal } from './insert-values.ts';

// `@` stands for the value.
function insert(template: string, value: string, allowDash = false, mayName = false): Insertion {
  const pieces = template.split(/(@)/).map((piece) => (piece === '@' ? { value, mayName } : piece));
  return insertValues(pieces, { allowDash });
}

describe('a value becomes part of one word', () => {
  const value = `a'b "c" $d \`e\` \\`;
  const bare = `'a'\\''b "c" $d \`e\` \\'`;
  const inDouble = `a'b \\"c\\" \\$d \\\`e\\\` \\\\`;
  const templates: Readonly<Record<string, string>> = {
    'ls @': `ls ${bare}`,
    'ls --file=@': `ls --file=${bare}`,
    'ls @.txt': `ls ${bare}.txt`,
    'ls *.@': `ls *.${bare}`,
    "ls '@'": `ls 'a'\\''b "c" $d \`e\` \\'`,
    'ls "@"': `ls "${inDouble}"`,
    'ls "x @ y"': `ls "x ${inDouble} y"`,
    'ls "$(cat @)"': `ls "$(cat ${bare})"`,
    'ls $(cat "@")': `ls $(cat "${inDouble}")`,
    'diff <(sort @) b': `diff <(sort ${bare}) b`,
    'x=@; ls "$x"': `x=${bare}; ls "$x"`,
    'x=(a @)': `x=(a ${bare})`,
    'FORCE=@ ls': `FORCE=${bare} ls`,
    'ls > @': `ls > ${bare}`,
    'cat <<< @': `cat <<< ${bare}`,
    'for f in @; do ls; done': `for f in ${bare}; do ls; done`,
    'case @ in a) ls;; esac': `case ${bare} in a) ls;; esac`,
    'if [ "$x" ]; then ls @; fi | sort': `if [ "$x" ]; then ls ${bare}; fi | sort`,
    '[[ $x == @ && -f @ ]]': `[[ $x == ${bare} && -f ${bare} ]]`,
    '[[ @ =~ x ]]': `[[ ${bare} =~ x ]]`,
    'f() { ls @; }; f': `f() { ls ${bare}; }; f`,
    'time ! ls @ &': `time ! ls ${bare} &`,
    'xargs -n1 rm @': `xargs -n1 rm ${bare}`,
    'sh -c \'ls "$1"\' _ @': `sh -c 'ls "$1"' _ ${bare}`,
    "awk -v x=1 '{print}' @": `awk -v x=1 '{print}' ${bare}`,
    'python3 run.py -c @': `python3 run.py -c ${bare}`,
    'find @ -name @ -exec cat {} +': `find ${bare} -name ${bare} -exec cat {} +`,
  };
  for (const [template, script] of Object.entries(templates)) {
    test(template, () => {
      assert.deepEqual(insert(template, value), { script });
    });
  }

  test('also when it is empty', () => {
    assert.deepEqual(insert('ls @ "@" a@', ''), { script: `ls '' "" a''` });
  });

  test('in a script in which no value stands, nothing changes', () => {
    assert.deepEqual(insertValues(['echo ', '"'], { allowDash: false }), { script: 'echo "' });
  });
});

describe('a value is refused', () => {
  const refused: Readonly<Record<Refusal, readonly string[]>> = {
    place: [
      ...['cat <<E\n@\nE', "cat <<'E'\n@\nE", 'cat <<@\nx\n@', 'ls # @', '# @', 'ls $((@))', '((x=@))'],
      ...['ls ${x:-@}', 'ls ${@}', 'ls $@', 'ls "$@"', "ls $'@'", 'ls $"@"', 'ls {a,@}', 'ls [@]', 'ls @(@)'],
      ...['[[ a =~ @ ]]', '[[ @ -eq 1 ]]', '[[ -v @ ]]', 'case a in @) ls;; esac', 'for @ in a; do ls; done'],
      ...[
        'x[@]=1',
        'x=([@]=1)',
        'x=("${y:-@}")z',
        'x=(@)z',
        'PATH=@ ls',
        'LD_PRELOAD=@',
        'ls >&@',
        '@() { ls; }',
        'ls "@',
      ],
      ...[
        'if ls @',
        'ls \\@',
        'ls "\\@"',
        'ls `cat @`',
        'ls $(ls `cat "@"`)',
        'ls &>x @',
        '[[ a || @ ]]',
        '[[ ( @ == a ) ]]',
        `ls ${'$('.repeat(60)}@`,
        `ls @ ${'x'.repeat(70_000)}`,
      ],
    ],
    code: [
      ...['bash -c "ls @"', "sh -c 'ls @'", 'eval ls @', 'trap "@" EXIT', 'bash <<< @', 'xargs sh -c "ls @"'],
      ...['find . -exec sh -c "@" \\;', 'echo @ | sh', 'x=@; eval "$x"', 'ssh host ls @', 'env PATH=@ ls'],
      ...['awk "{print @}" f', "sed 's/a/@/' f", 'sed -n -e @p f', 'perl -ne "@" f', 'python3 -u -c "@"'],
      ...['node --eval=@', 'declare -i x=@', 'let @', 'printf -v @ x', 'read @', 'test -v @', 'unset @'],
    ],
    variables: [
      // What a variable holds, in which the value could be, is evaluated, or says which program runs.
      ...['x=@; ls $((x))', 'x=@; ((x))', 'x=@; ls ${!x}', 'ls @ ${y[x]}'],
      ...['x=@; ls ${y:x}', 'x=@; [[ $x -eq 1 ]]', 'x=@; [[ -v $x ]]', 'x=@; y[x]=1', 'x=@; y=([x]=1)'],
      ...['declare -i x; x=@', 'declare -n x; x=@', 'x=@; unset $x', 'x=@; $x', 'x=@; env $x'],
      ...['f() { ls $(($1)); }; f @'],
    ],
    program: [
      ...[
        '@',
        '@ x',
        'bin/@',
        'ls; @',
        'ls $(@)',
        'env @',
        'sudo -u me @ x',
        'timeout 5 @',
        'xargs @',
        'exec @',
      ],
      ...[
        'find . -exec @ {} +',
        'source @',
        '. @',
        'bash @',
        'command @',
        'watch @',
        '$x @',
        '"@" y',
        'nice -n 1 @',
      ],
    ],
    dash: [],
    null: [],
    size: [],
  };
  for (const [refusal, templates] of Object.entries(refused)) {
    for (const template of templates) {
      test(`as ${refusal} in ${JSON.stringify(template.slice(0, 40))}`, () => {
        assert.deepEqual(insert(template, 'value'), { index: 0, refusal });
      });
    }
  }

  test('not in a script that only calculates with numbers, or takes parts of a variable', () => {
    for (const script of ['ls $((1 + 2)) @', 'x=@; ls ${x:1:2} ${x[0]} "${x[*]}"', 'x=@; [[ $x == a ]]'])
      assert.ok('script' in insert(script, 'value'), script);
  });

  test('where a variable is expanded like a prompt, in which commands run', () => {
    const into = (before: string, behind: string): Insertion =>
      insertValues([before, { value: '"$(id)"', mayName: false }, behind], { allowDash: false });
    const refused = { index: 0, refusal: 'variables' };
    assert.deepEqual(into('>&2${x@P} x=', ''), refused);
    assert.deepEqual(into('x=', '; ls "${x@P}"'), refused);
    assert.deepEqual(into('cat <<< ${x@P} ', ''), refused);
    assert.ok('script' in into('x=', '; ls ${x@Q}'));
  });

  test('that holds a NUL character', () => {
    assert.deepEqual(insert('ls @', 'a\0b'), { index: 0, refusal: 'null' });
  });

  test('that makes the script too long', () => {
    assert.deepEqual(insert('ls @', 'x'.repeat(70_000)), { index: 0, refusal: 'size' });
    assert.deepEqual(insert('ls @', '('.repeat(20_000)), { script: `ls '${'('.repeat(20_000)}'` });
  });

  test('behind a backslash, however the script was cut', () => {
    const pieces = ['ls \\', '', { value: '; id', mayName: false }];
    assert.deepEqual(insertValues(pieces, { allowDash: false }), { index: 0, refusal: 'place' });
  });

  test('by its number', () => {
    const pieces = ['ls ', { value: 'a', mayName: false }, ' # ', { value: 'b', mayName: false }];
    assert.deepEqual(insertValues(pieces, { allowDash: false }), { index: 1, refusal: 'place' });
  });
});

describe('a value that begins with a dash', () => {
  const dash = { index: 0, refusal: 'dash' } as const;
  test('is refused where a program could take it for an option, quoted or not', () => {
    for (const template of [
      'rm @',
      'rm "@"',
      "rm '@'",
      'rm ""@',
      'rm x @',
      'rm @ --',
      'rm "@ x"',
      'ls; rm @',
    ])
      assert.deepEqual(insert(template, '-rf'), dash, template);
  });

  test('is passed behind two dashes, and where it begins no word of a command', () => {
    for (const template of [
      'rm -- @',
      'rm -v "--" @',
      'rm ./@',
      'rm --file=@',
      'x=@',
      'cat < @',
      'cat <<< @',
    ])
      assert.ok('script' in insert(template, '-rf'), template);
    assert.deepEqual(insert('rm -- x; rm @', '-rf'), dash);
  });

  test('is passed where the file allows it, but never in an expression', () => {
    assert.deepEqual(insert('rm @', '-rf', true), { script: "rm '-rf'" });
    for (const template of ['test @ x', '[ @ x ]', 'find . @', '/usr/bin/find -- @'])
      assert.deepEqual(insert(template, '-v', true), dash, template);
  });

  test('may begin with it only together with another', () => {
    const pieces = ['rm ', { value: '', mayName: false }, { value: '-rf', mayName: false }];
    assert.deepEqual(insertValues(pieces, { allowDash: false }), dash);
  });
});

test('the folder of a program may say which program runs, but not what code it runs', () => {
  assert.deepEqual(insert('@/run.sh x', '/a b', false, true), { script: "'/a b'/run.sh x" });
  assert.deepEqual(insert('bash "@/run.sh"', '/a "b"', false, true), { script: 'bash "/a \\"b\\"/run.sh"' });
  assert.deepEqual(insert('sh -c "@/run.sh"', '/a', false, true), { index: 0, refusal: 'code' });
});

test('whatever is given, the answer is a script that holds the value or a refusal', () => {
  fc.assert(
    fc.property(
      randomTokens(),
      randomTokens(),
      fc.string(),
      fc.boolean(),
      (before, after, value, allowDash) => {
        const insertion = insertValues([before, { value, mayName: false }, after], { allowDash });
        if ('script' in insertion)
          assert.ok(insertion.script.startsWith(before) && insertion.script.endsWith(after));
        else assert.equal(insertion.index, 0);
      },
    ),
    { numRuns: 1000 },
  );
});
