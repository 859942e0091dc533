import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { matchesCommand, shellParts } from './command-line.ts';

// A rule, the simple commands that it matches, and those that it does not match.
const rules: readonly (readonly [rule: string, meant: readonly string[], others: readonly string[]])[] = [
  [
    'git add *',
    ['git add', 'git add .', 'git add a b'],
    ['git addx', 'git', 'git  add', 'xgit add', 'Git add'],
  ],
  ['git add:*', ['git add', 'git add .'], ['git addx', 'git add:x']],
  ['npm run test:*', ['npm run test', 'npm run test -- --watch'], ['npm run tester', 'npm run test:unit']],
  ['git diff*', ['git diff', 'git difftool x', 'git diff x'], ['git dif', 'x git diff']],
  ['git  diff', ['git diff'], ['git diff x', 'git diff*']],
  ['* --help', ['git --help', 'a b --help'], ['--help', 'git --helpx', 'git\\ --help']],
  [
    'git * main',
    ['git push main', 'git push -f origin main'],
    ['git main', 'git push\\ main', 'git push main x'],
  ],
  ['ls', ['ls'], ['ls x', 'lsx', '']],
  ['ls ?', ['ls ?'], ['ls x']],
  ['rm *.log', ['rm a.log', 'rm *.log', 'rm -rf / x.log'], ['rm log', 'rm a.logs']],
  [
    'git commit -m "fix: *"',
    ['git commit -m fix:\\ it', 'git commit -m fix:\\ it -a'],
    ['git commit -m fix: it'],
  ],
  ["git commit -m 'WIP*'", ['git commit -m WIP', 'git commit -m WIP\\ x'], ['git commit -m x']],
  ['echo $HOME', ['echo $HOME'], ['echo \\$HOME']],
  ["echo '$HOME'", ['echo \\$HOME'], ['echo $HOME']],
  ['echo "a  b"', ['echo a\\ \\ b'], ['echo a b']],
  ['foo > out', ['foo > out'], ['foo', 'foo out']],
  ['A="b" foo', [], ['foo']],
  ['(foo)', ['(foo)'], ['foo']],
  ['foo; bar', ['foo; bar'], ['foo', 'bar']],
  ['foo # bar', [], ['foo']],
  ['*rm -rf /*', ['rm -rf /', 'sudo rm -rf /home'], ['rm -r /']],
  ['git log (*', ['git log (x'], ['git log']],
];

for (const [rule, meant, others] of rules) {
  test(`${rule} means what it says`, () => {
    for (const command of meant) assert.equal(matchesCommand(rule, command), true, command);
    for (const command of others) assert.equal(matchesCommand(rule, command), false, command);
  });
}

// A command line and the simple commands in it, which do all of its work.
const all: readonly (readonly [string, ...string[]])[] = [
  ['git diff', 'git diff'],
  ['  git   diff\t--stat  ', 'git diff --stat'],
  ['git diff; ls', 'git diff', 'ls'],
  ['git diff && ls || pwd', 'git diff', 'ls', 'pwd'],
  ['git diff | head -5 |& cat', 'git diff', 'head -5', 'cat'],
  ['git diff\nls', 'git diff', 'ls'],
  ['git diff & ls &', 'git diff', 'ls'],
  ['(git diff; (ls))', 'git diff', 'ls'],
  ['{ git diff; ls; }', 'git diff', 'ls'],
  ['! git diff', 'git diff'],
  ['!(git diff)', 'git diff'],
  ['time git diff', 'git diff'],
  ['time -p ! git diff', 'git diff'],
  ['git diff # ; rm x', 'git diff'],
  ['git \\\n diff', 'git diff'],
  ['git diff $(ls)', 'git diff $(ls)', 'ls'],
  ['git diff `ls`', 'git diff `ls`', 'ls'],
  ['git diff "$(ls a)"', 'git diff $(ls\\ a)', 'ls a'],
  ['git diff "`ls \\`pwd\\``"', 'git diff `ls\\ \\`pwd\\``', 'ls `pwd`', 'pwd'],
  ['git diff "a $(b "c $(d)")"', 'git diff a\\ $(b\\ "c\\ $(d)")', 'b c\\ $(d)', 'd'],
  ['git diff $((a; b) )', 'git diff $((a;\\ b)\\ )', 'a', 'b'],
  ['git diff ${x:-$(ls)}', 'git diff ${x:-$(ls)}', 'ls'],
  ['git diff "${x:-a`ls`}"', 'git diff ${x:-a`ls`}', 'ls'],
  ['git diff ${x/$(a)/$(b)} ${y%$(c)}', 'git diff ${x/$(a)/$(b)} ${y%$(c)}', 'a', 'b', 'c'],
  ['git diff {a,$(b)} [$(c)]', 'git diff {a,$(b)} [$(c)]', 'b', 'c'],
  ['git diff <(a) >(b)', 'git diff <(a) >(b)', 'a', 'b'],
  ['git diff $"$(a)"', 'git diff $(a)', 'a'],
  ['cat <<E\n$(a) `b` ${x:-$(c)}\nE', 'cat', 'a', 'b', 'c'],
  ['cat <<-E\n\t$(a)\n\tE', 'cat', 'a'],
  ["cat <<'E'\n$(a)\nE", 'cat'],
  ['cat <<\\E\n`a`\nE', 'cat'],
  ['cat <<< "$(a)"', 'cat', 'a'],
  ["cat <<< 'x; y'", 'cat'],
  ['if a; then b; elif c; then d; else e; fi', 'a', 'b', 'c', 'd', 'e'],
  ['while a; do b; done', 'a', 'b'],
  ['until a; do b; done', 'a', 'b'],
  ['for x in $(a) b; do c "$x"; done', 'a', 'c $x'],
  ['select x in a; do b; done', 'b'],
  ['case $(a) in $(b)) c;; [$(d)]) e;& *) f;; esac', 'a', 'b', 'c', 'd', 'e', 'f'],
  ['[[ -f $(a) ]] && b', 'a', 'b'],
  ['[[ 1 -lt 2 ]] && b', 'b'],
  ['[[ x == *$(a)* ]] || b', 'a', 'b'],
  ['coproc a b', 'a b'],
  ['coproc x { a; }', 'a'],
  ['a >/dev/null 2>&1', 'a'],
  ['a &>/dev/null', 'a'],
  ['a </dev/null >&2 2>&-', 'a'],
  ['{ a; b; } 2>&1', 'a', 'b'],
  ['a $((1 + 2 * 3))', 'a $((1\\ +\\ 2\\ *\\ 3))'],
  ['a ${x:1:2} ${y[0]} ${z[@]} ${#x}', 'a ${x:1:2} ${y[0]} ${z[@]} ${#x}'],
  // Quotes are removed where they change nothing, and added where one word could be read as two.
  ['\'git\' "diff"', 'git diff'],
  ["g''it d\\iff", 'git diff'],
  ['git "diff x"', 'git diff\\ x'],
  ['git \'\' ""', "git '' ''"],
  ["echo ';' \\& '|' \\( '$x' '`y`'", 'echo \\; \\& \\| \\( \\$x \\`y\\`'],
  ["echo 'it'\\''s'", "echo it\\'s"],
  ["echo '#x' a#b", 'echo \\#x a#b'],
  ['echo *.ts a? [bc] ~/x HEAD@{1}', 'echo *.ts a? [bc] ~/x HEAD@{1}'],
  ["echo '*.ts'", 'echo *.ts'],
  ["echo [a\\ b] '[a b]'", 'echo [a\\ b] [a\\ b]'],
  ["echo 'a\nb'", "echo a'\n'b"],
  ["echo $'a\\tb'", 'echo a\\\tb'],
  ['echo é 漢字', 'echo é 漢字'],
  ['[ -f x ]', '[ -f x ]'],
  ['dd if=a of=b', 'dd if=a of=b'],
  ['bash build.sh x', 'bash build.sh x'],
  ['. build.sh', '. build.sh'],
  ['command -v git', 'command -v git'],
  ['cd src && git diff && /opt/build', 'cd src', 'git diff', '/opt/build'],
  ['./build && bash build.sh', './build', 'bash build.sh'],
  ['set -euo pipefail; a', 'set -euo pipefail', 'a'],
  ['while read -r line; do a; done', 'read -r line', 'a'],
  ['printf "%s\\n" "$x"', 'printf %s\\\\n $x'],
  // The output of a nested command is part of the outer command.
  ['sudo rm x', 'sudo rm x', 'rm x'],
  ['sudo -nu root -- rm x', 'sudo -nu root -- rm x', 'rm x'],
  ['doas -u root rm x', 'doas -u root rm x', 'rm x'],
  ['nohup nice -n 5 rm x', 'nohup nice -n 5 rm x', 'nice -n 5 rm x', 'rm x'],
  ['timeout -s KILL --foreground 5 rm x', 'timeout -s KILL --foreground 5 rm x', 'rm x'],
  ['timeout --signal KILL 5 rm x', 'timeout --signal KILL 5 rm x', 'rm x'],
  ['stdbuf -oL rm x', 'stdbuf -oL rm x', 'rm x'],
  ['setsid -w rm x', 'setsid -w rm x', 'rm x'],
  ['command -p rm x', 'command -p rm x', 'rm x'],
  ['builtin echo x', 'builtin echo x', 'echo x'],
  ['exec -a y rm x', 'exec -a y rm x', 'rm x'],
  ['env -i -u A rm x', 'env -i -u A rm x', 'rm x'],
  ['\\time -f %e rm x', 'time -f %e rm x', 'rm x'],
  ['ls | xargs -0 -n1 rm', 'ls', 'xargs -0 -n1 rm', 'rm $@'],
  ['xargs -I{} git diff {}', 'xargs -I{} git diff {}', 'git diff {} $@'],
  ['xargs sh -c \'rm "$1"\' x', 'xargs sh -c rm\\ \\"\\$1\\" x', 'sh -c rm\\ \\"\\$1\\" x $@', 'rm $1'],
  ['find . -name x -exec rm {} \\;', 'find . -name x -exec rm {} \\;', 'rm {}'],
  ["find . -exec a {} + -ok b ';'", 'find . -exec a {} + -ok b \\;', 'a {}', 'b'],
  ["sh -c 'a; b $(c)'", 'sh -c a\\;\\ b\\ \\$\\(c\\)', 'a', 'b $(c)', 'c'],
  ["bash -euo pipefail -c -- 'rm x' y", 'bash -euo pipefail -c -- rm\\ x y', 'rm x'],
  ["eval rm 'x y'", 'eval rm x\\ y', 'rm x y'],
  ["trap 'rm x' EXIT", 'trap rm\\ x EXIT', 'rm x'],
  ['sh -c "bash -c \'rm x\'"', "sh -c bash\\ -c\\ \\'rm\\ x\\'", 'bash -c rm\\ x', 'rm x'],
];

// Command lines that do, or could do, more than their simple commands.
const more: readonly (readonly [string, ...string[]])[] = [
  [''],
  [' \n'],
  ['# rm x'],
  ['[[ -f x ]]'],
  // Not a valid script.
  ['git diff )', 'git diff'],
  ['git diff "x', 'git diff x'],
  ['rm x; if', 'rm x'],
  ['cat <<E\nx', 'cat'],
  ['case x in x) y[0]=(#)\n;; esac\nrm x', 'rm x'],
  ['[[ -n p<(rm x) ]]', 'rm x'],
  ['if a; then rm x; done', 'a', 'rm x'],
  ['echo \u0007x', 'echo \u0007x'],
  ['echo \ud800', 'echo \ud800'],
  // Only the shell that runs the command knows the program.
  ['$x diff', '$x diff', 'diff'],
  ['"$x" diff', '$x diff', 'diff'],
  ['$(a) diff', '$(a) diff', 'diff', 'a'],
  ['gi[t] diff', 'gi[t] diff', 'diff'],
  ['/bin/l*', '/bin/l*'],
  ['~/git diff', '~/git diff', 'diff'],
  ['{git,diff}', '{git,diff}'],
  ["$'git' diff", 'git diff', 'diff'],
  ['$"git" diff', 'git diff', 'diff'],
  ["'' diff", "'' diff"],
  ['git<(a) diff', 'git <(a) diff', 'a'],
  ['git 2>&1<(a)', 'git <(a)', 'a'],
  // Variables, files, functions.
  ['X=1 git diff', 'git diff'],
  ['X=$(a)', 'a'],
  ['x[$(a)]=($(b) $(c))', 'a', 'b', 'c'],
  ['export PATH=evil; ls', 'export PATH=evil', 'ls'],
  ['git diff > x', 'git diff'],
  ['git diff >> $(a)', 'git diff', 'a'],
  ['git diff < x', 'git diff'],
  ['git diff 2>x', 'git diff'],
  ['git diff &>x', 'git diff'],
  ['git diff >&x', 'git diff'],
  ['git diff >/dev/nullx', 'git diff'],
  ['git diff >/dev/tcp/a/1', 'git diff'],
  ['git diff {x}>/dev/null', 'git diff'],
  ['{ a; } > x', 'a'],
  ['> x'],
  ['echo $(<x)', 'echo $(<x)'],
  ['f() { rm x; }; f', 'rm x', 'f'],
  ['function git { rm x; }', 'rm x'],
  // Arithmetic in bash can contain commands, and other shells read some bash tests as commands.
  ['((x))'],
  ['(( $(a) ))', 'a'],
  ['for ((i = 0; i < $(a); i++)); do b; done', 'a', 'b'],
  ['ls $((x))', 'ls $((x))'],
  ['ls $[$(a)]', 'ls $[$(a)]', 'a'],
  ["for x in 'a[$(rm x)]'; do ls $((x)); done", 'ls $((x))'],
  ['ls ${x[y]}', 'ls ${x[y]}'],
  ['ls ${x:y}', 'ls ${x:y}'],
  ['ls ${!x}', 'ls ${!x}'],
  ['ls ${x@P}', 'ls ${x@P}'],
  ['ls ${PATH:=evil}', 'ls ${PATH:=evil}'],
  ["[[ 'a[$(rm x)]' -eq 1 ]] && ls", 'ls'],
  ["[[ -v 'a[$(rm x)]' ]] && ls", 'ls'],
  ['[[ a && b ]] && ls', 'ls'],
  ['[[ ( a ) ]] && ls', 'ls'],
  ['[[ a =~ b ]] && ls', 'ls'],
  ['ls @(a|b)', 'ls @(a|b)'],
  ["ls $'\\'' ; echo $'\\''", "ls \\'", "echo \\'"],
  // These change the meaning of the commands after them.
  ['for PATH in evil; do ls; done', 'ls'],
  ['for https_proxy in evil; do ls; done', 'ls'],
  ['coproc PATH { ls; }', 'ls'],
  ['printf -v PATH evil; ls', 'printf -v PATH evil', 'ls'],
  ['printf $x; ls', 'printf $x', 'ls'],
  ['read PATH <<< evil; ls', 'read PATH', 'ls'],
  ['alias ls=rm; ls', 'alias ls=rm', 'ls'],
  ['[ -v "$x" ]', '[ -v $x ]'],
  ["test -v 'a[$(rm x)]'", 'test -v a[\\$\\(rm\\ x\\)]'],
  ['set -k', 'set -k'],
  ['wait -p PATH', 'wait -p PATH'],
  ['coproc ls done', 'ls done'],
  ['hash -p evil ls', 'hash -p evil ls'],
  ['cd evil && ./build', 'cd evil', './build'],
  ['cd evil && bash build.sh', 'cd evil', 'bash build.sh'],
  // The commands that these run cannot be determined reliably.
  ['env A=b rm x', 'env A=b rm x', 'rm x'],
  ['env $x rm y', 'env $x rm y', '$x rm y', 'rm y', 'y'],
  ["env -S 'rm x'", 'env -S rm\\ x', '-S rm\\ x', 'rm\\ x', 'rm x'],
  ['env - rm x', 'env - rm x', '- rm x', 'rm x', 'x'],
  ['sudo -s rm x', 'sudo -s rm x', '-s rm x', 'rm x', 'x'],
  ['timeout $x rm y', 'timeout $x rm y', '$x rm y', 'rm y', 'y'],
  ['timeout --unknown 5 rm', 'timeout --unknown 5 rm', '--unknown 5 rm', '5 rm', 'rm'],
  ['busybox rm x', 'busybox rm x', 'rm x', 'x'],
  ['time -o x rm y', '-o x rm y', 'x rm y', 'rm y', 'y'],
  ["watch 'rm x'", 'watch rm\\ x', 'rm\\ x', 'rm x'],
  ['xargs -I{} {} x', 'xargs -I{} {} x', '{} x $@', 'x $@', '$@'],
  ["xargs -I{} sh -c 'rm {}'", 'xargs -I{} sh -c rm\\ {}', 'sh -c rm\\ {} $@', 'rm {}'],
  ['xargs sh', 'xargs sh', 'sh $@', '$@'],
  ['find . $x', 'find . $x', '. $x', '$x'],
  ['find . -exec rm', 'find . -exec rm', '. -exec rm', '-exec rm', 'rm'],
  ["find . -exec sh -c 'rm {}' \\;", 'find . -exec sh -c rm\\ {} \\;', 'sh -c rm\\ {}', 'rm {}'],
  ['sh', 'sh'],
  ['bash <<E\nrm x\nE', 'bash', 'rm x'],
  ["bash -s <<< 'rm x'", 'bash -s', 'rm x'],
  ['bash /dev/stdin <<< "rm x"', 'bash /dev/stdin', 'rm x'],
  ['source /dev/fd/0 <<< "rm x"', 'source /dev/fd/0', 'rm x'],
  ['sh -c "rm $x"', 'sh -c rm\\ $x', 'rm $x'],
  ['eval "rm $x"', 'eval rm\\ $x', 'rm $x'],
  ['eval "$x"', 'eval $x', '$x'],
  ["sh -c '$1 x' y rm", 'sh -c \\$1\\ x y rm', '$1 x', 'x'],
];

const commandsOf = (list: readonly { readonly command: string }[]): readonly string[] =>
  list.map(({ command }) => command);

describe('the parts of a command line', () => {
  for (const [line, ...commands] of all) {
    test(`are all in ${JSON.stringify(line)}`, () => {
      const { parts, areAll } = shellParts(line);
      assert.deepEqual(commandsOf(parts).toSorted(), commands.toSorted());
      assert.equal(areAll, true);
    });
  }
  for (const [line, ...commands] of more) {
    test(`are not all in ${JSON.stringify(line)}`, () => {
      const { parts, areAll } = shellParts(line);
      assert.deepEqual(commandsOf(parts).toSorted(), commands.toSorted());
      assert.equal(areAll, false);
    });
  }
});

test('a script that bash should run is a part, however many options precede it', () => {
  const { parts, areAll } = shellParts("bash --rcfile a -ic 'rm x'");
  assert.ok(commandsOf(parts).includes('rm x'));
  assert.equal(areAll, false);
});

test('rules that forbid see a program without its path, in small letters, and with braces expanded', () => {
  const suspectedIn = (line: string): readonly string[] => commandsOf(shellParts(line).suspected);
  assert.deepEqual(suspectedIn('/bin/rm -r x'), ['rm -r x']);
  assert.deepEqual(suspectedIn("'../a b/rm' x"), ['rm x']);
  assert.deepEqual(suspectedIn('sudo /sbin/RM x'), ['RM x', 'rm x']);
  assert.deepEqual(suspectedIn('git {push,-f} x'), ['git push -f x']);
  assert.deepEqual(suspectedIn('git p{ush,${x:-{a,b}},"c d",} y'), ['git push p${x:-{a,b}} pc\\ d p y']);
  assert.deepEqual(suspectedIn("git {push x, '{push,x}'"), []);
  assert.deepEqual(suspectedIn('bash -x ./deploy.sh prod'), ['./deploy.sh prod']);
  assert.deepEqual(suspectedIn('git push'), []);
  assert.deepEqual(suspectedIn(`sh -c "git $'p\\tu' x"`), ['git \\$p\\\\tu x']);
  assert.deepEqual(suspectedIn('git $"push" x'), ['git \\$push x']);
});

test('of what cannot be read whole, a command that continues after something unknown is open at its end', () => {
  const line = '[[ `aa` == p<(aa\n)"q" || -n <(aa && aa\n) ]] | >/dev/null cc ${u/$(aa)/x} || dd y';
  const { parts, areAll } = shellParts(line);
  assert.equal(areAll, false);
  assert.ok(commandsOf(parts).includes('cc \\$ $'), commandsOf(parts).join(', '));
  assert.ok(commandsOf(parts).includes('dd y'), commandsOf(parts).join(', '));
});

test('what is in two documents for the same program is read twice', () => {
  const { parts } = shellParts("sh <<< 'ls'; sh <<< 'rm x'");
  assert.deepEqual(commandsOf(parts), ['sh', 'ls', 'rm x']);
});

test('what is too long, too deep or wrapped too often is not read, and says so', () => {
  const lines = [
    `${'x'.repeat(70_000)}; rm x`,
    `${'$('.repeat(60)}rm x${')'.repeat(60)}`,
    `echo ${'{a,'.repeat(20_000)}`,
    `${'cat <<E\n\nE\n'.repeat(300)}rm x`,
    `${'nohup '.repeat(30)}rm x`,
  ];
  for (const line of lines) {
    const { areAll, isUnread } = shellParts(line);
    assert.deepEqual({ areAll, isUnread }, { areAll: false, isUnread: true }, line.slice(0, 20));
  }
  assert.equal(shellParts(`${'nohup '.repeat(5)}rm x`).isUnread, undefined);
});

describe('commands that make git repositories', () => {
  const making = [
    'git clone https://example.org/x',
    'git init',
    'git -C lib --no-pager -c a.b=c init -q x',
    'git worktree add ../x',
    'git worktree --quiet add x',
    'git submodule update --init',
    'git submodule --quiet add x',
    'cd x && /usr/bin/git submodule init',
    "sh -c 'git clone x'",
    'echo x | xargs git clone',
    'x=$(git init)',
  ];
  for (const command of making)
    test(`${command}: does`, () => assert.equal(shellParts(command).makesRepositories, true));

  for (const command of [
    'git status',
    'git commit -m init',
    'git worktree list',
    'git submodule status',
    'echo git init',
  ])
    test(`${command}: does not`, () => assert.equal(shellParts(command).makesRepositories, undefined));
});
