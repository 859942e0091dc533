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
    'ls -- "$(cat @)"': `ls -- "$(cat ${bare})"`,
    'ls "a$(cat "@")"': `ls "a$(cat "${inDouble}")"`,
    'diff <(sort @) b': `diff <(sort ${bare}) b`,
    'x=@; ls "$x"': `x=${bare}; ls "$x"`,
    'x=(a @)': `x=(a ${bare})`,
    'TARGET=@ ls': `TARGET=${bare} ls`,
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
    'sh run.sh @': `sh run.sh ${bare}`,
    './scripts/run.sh --name @': `./scripts/run.sh --name ${bare}`,
    'git log --grep=@ -- @': `git log --grep=${bare} -- ${bare}`,
    'x=@; git log --oneline "$x"': `x=${bare}; git log --oneline "$x"`,
    'cat @ | while read -r x; do ls -- "$x"; done': `cat ${bare} | while read -r x; do ls -- "$x"; done`,
    '[ -f @ ] && [ "@" != x ] && cat @': `[ -f ${bare} ] && [ "${inDouble}" != x ] && cat ${bare}`,
    "awk -v x=1 '{print}' @": `awk -v x=1 '{print}' ${bare}`,
    'python3.12 run.py @': `python3.12 run.py ${bare}`,
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

  test('a script without values stays unchanged', () => {
    assert.deepEqual(insertValues(['echo ', '"'], { allowDash: false }), { script: 'echo "' });
  });
});

describe('a value is refused', () => {
  const refused: Readonly<Record<Refusal, readonly string[]>> = {
    position: [
      ...['cat <<E\n@\nE', "cat <<'E'\n@\nE", 'cat <<@\nx\n@', 'ls # @', '# @', 'ls $((@))', '((x=@))'],
      ...['ls ${x:-@}', 'ls ${@}', 'ls $@', 'ls "$@"', "ls $'@'", 'ls $"@"', 'ls {a,@}', 'ls [@]', 'ls @(@)'],
      ...[
        '[[ a =~ @ ]]',
        '[[ @ -eq 1 ]]',
        '[[ -v @ ]]',
        'case a in @) ls;; esac',
        'select x in a; do ls # @\ndone',
      ],
      ...['x[@]=1', 'x=([@]=1)', 'x=("${y:-@}")z', 'x=(@)z', 'ls >&@', '@() { ls; }', 'ls "@'],
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
      ...['eval ls @', 'trap "@" EXIT', 'bash <<< @', 'echo @ | sh', 'x=@; eval "$x"', 'echo @ | python3'],
      ...[
        'awk "{print @}" f',
        'sed "s/$x/@/" f; let y',
        'python3 -u -c "@"',
        'jq "@" f',
        'gh api x --jq @',
        'perl <<< @',
      ],
      ...['awk -v x=@ "{ system(x) }"', 'declare -i x=@', 'let @', 'printf -v @ x', 'printf @', 'read @'],
      ...[
        '[ -v @ ]',
        'timeout 5 test @',
        'test -v @',
        '[ @ -eq 1 ]',
        '[ x = x -a @ ]',
        'x=@; [ -f $x ]',
        'printf %n @',
      ],
      ...['declare -i x; x=@', 'declare -n x; x=@', 'getopts a @', 'export @', 'alias x=@', 'set -o @'],
    ],
    unlisted: [
      ...[
        'vim -c @',
        'sqlite3 db @',
        'gdb -ex @',
        'script -c @',
        'tar -I @ -xf x',
        'npx -c @',
        'ssh host ls @',
      ],
      ...['git -c alias.x=@ x', 'git -C @ log', 'git log --output=@', 'bash -c "ls @"', 'make @'],
      ...["bash -c '[[ $1 -eq 0 ]]' _ @", "sh -c 'ls @'", 'find . -exec sh -c "@" \\;', 'env PATH=@ ls'],
      ...['perl -ne "@" f', 'node --eval=@', 'unset @', 'x=@; unset $x', 'x=@; env $x', 'source @', '. @'],
      ...['echo @ | xargs env', 'xargs sh -c "ls @"', 'docker run x @', 'kubectl get --kubeconfig=@ pods'],
      ...[
        'sort --compress-program @ f',
        'rg --pre=@ x',
        'o=-I; tar $o @ -xf x',
        'find -- @',
        'tar cfI a @ x',
        'tar @ x',
        'x=@ npm test',
      ],
      ...['mapfile -t x <<< @', 'unknown @'],
    ],
    plain: ['npm test -- @', 'npm run x -- @', 'sed -n @p f', 'tar -xf @', 'perl run.pl @', 'go doc @'],
    variables: [
      // The content of a variable, which may include the value, is evaluated.
      ...['x=@; ls $((x))', 'x=@; ((x))', 'x=@; ls ${!x}', 'ls @ ${y[x]}'],
      ...['x=@; ls ${y:x}', 'x=@; [[ $x -eq 1 ]]', 'x=@; [[ -v $x ]]', 'x=@; y[x]=1', 'x=@; y=([x]=1)'],
      'f() { ls $(($1)); }; f @',
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
      ...['find . -exec @ {} +', 'bash @', 'command @', '"@" y', 'nice -n 1 @', 'x=@; $x', 'node @'],
      ...['PATH=@ ls', 'LD_PRELOAD=@', 'SECONDS=@', 'for PATH in @; do ls; done', 'x=@; PATH=$x; ls'],
    ],
    effects: ['cd @; git log', 'export x=@; make', 'cp @ x.sh; ./x.sh', 'echo @ > x.sh; bash x.sh'],
    special: [],
    unclear: [],
    dash: [],
    null: [],
    size: [],
  };
  for (const [refusal, templates] of Object.entries(refused)) {
    for (const template of templates) {
      test(`as ${refusal} in ${JSON.stringify(template.slice(0, 40))}`, () => {
        assert.deepEqual(insert(template, "it's"), { index: 0, refusal });
      });
    }
  }

  test('not in a script that only calculates with numbers, or takes parts of a variable', () => {
    for (const script of [
      'ls $((1 + 2)) @',
      'x=@; ls "a${x:1:2}" "b${x[0]}" "c${x[*]}"',
      'x=@; [[ $x == a ]]',
    ])
      assert.ok('script' in insert(script, 'value'), script);
  });

  test('where a variable is expanded like a prompt, in which commands run', () => {
    const into = (before: string, behind: string): Insertion =>
      insertValues([before, { value: '"$(id)"', mayName: false }, behind], { allowDash: false });
    const refused = { index: 0, refusal: 'variables' };
    assert.deepEqual(into('>&2${x@P} x=', ''), refused);
    assert.deepEqual(into('x=', '; ls "${x@P}"'), refused);
    assert.deepEqual(into('cat <<< ${x@P} ', ''), refused);
    assert.ok('script' in into('x=', '; ls -- "${x@Q}"'));
  });

  test('that holds a NUL character', () => {
    assert.deepEqual(insert('ls @', 'a\0b'), { index: 0, refusal: 'null' });
  });

  test('that makes the script too long', () => {
    assert.deepEqual(insert('ls @', 'x'.repeat(70_000)), { index: 0, refusal: 'size' });
    assert.deepEqual(insert('ls @', '('.repeat(20_000)), { script: `ls '${'('.repeat(20_000)}'` });
  });

  test('after a backslash, however the script was cut', () => {
    const pieces = ['ls \\', '', { value: '; id', mayName: false }];
    assert.deepEqual(insertValues(pieces, { allowDash: false }), { index: 0, refusal: 'position' });
  });

  test('by its number', () => {
    const pieces = ['ls ', { value: 'a', mayName: false }, ' # ', { value: 'b', mayName: false }];
    assert.deepEqual(insertValues(pieces, { allowDash: false }), { index: 1, refusal: 'position' });
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

  test('is passed after two dashes, and where it begins no word of a command', () => {
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

  test('is passed where the file allows it, but never to a program that an option could make run another', () => {
    assert.deepEqual(insert('rm @', '-rf', true), { script: "rm '-rf'" });
    for (const template of [
      'find . @',
      '/usr/bin/find @',
      'git log @',
      'tar -c @',
      'kubectl get @',
      'sort @',
    ])
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
  assert.deepEqual(insert('sh -c "@/run.sh"', '/a;b', false, true), { index: 0, refusal: 'unlisted' });
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
