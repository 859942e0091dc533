import { execFile, execFileSync } from 'node:child_process';
import { accessSync, chmodSync, constants, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { insertValues, type Insertion } from '../../src/shell/insert-values.ts';
import { minute } from './deadline.ts';
import { tree } from './tree.ts';

/** Values that run the program `bad` wherever something evaluates them. */
export const hostileValues: readonly string[] = [
  ...[
    'bad',
    '$(bad)',
    '`bad`',
    ';bad',
    '|bad',
    'bad|',
    '&& bad',
    '\nbad\n',
    "'; bad; '",
    '"; bad; "',
    '!bad',
    '\\!bad',
  ],
  ...[
    'a[$(bad)]',
    'x -o -v a[$(bad)]',
    '-v a[$(bad)]',
    '${x:=$(bad)}',
    '+!bad',
    ':!bad',
    '.shell bad',
    'shell bad',
  ],
  ...[
    '-exec bad ;',
    '--exec=bad',
    '--pre=bad',
    '--to-command=bad',
    '-Ibad',
    '-c bad',
    '-ebad',
    '--config=bad',
  ],
  ...[
    '1e bad',
    's/a/b/e;1e bad',
    'BEGIN{system("bad")}',
    'system("bad")',
    '-oProxyCommand=bad',
    'ext::bad',
    'alias.x=!bad',
  ],
  ...[
    'PATH=.',
    'x.sh',
    '/dev/stdin',
    'sh -c bad',
    '{a,$(bad)}',
    "$'\\n'bad",
    '-',
    '--',
    '--output=x.sh',
    '-C=bad;bad',
  ],
];

// Each shape is also tried inside these. `%` is the whole shape; a shape alone is the first.
export const nestings: readonly string[] = [
  '%',
  'if true; then % ; fi | cat',
  'ls "$(%)"',
  'timeout 5 %',
  'X=@; Y="$X"; %',
  'for V in @; do %; done',
  'echo @ | %',
  '{ %; } <<< @',
];

/** Reads the shapes of a fixture, with `@` at each place of an argument. */
export function readShapes(name: string): readonly string[] {
  const file = path.join(import.meta.dirname, '../fixtures/skill-commands', `${name}.txt`);
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => (name === 'honest' ? line.replace(/\$\{?[a-z]+\}?/g, '@') : line));
}

/** Nests a shape. Where variables carry the value, they take the place of it. */
export function nest(shape: string, nesting: string): string {
  const variable = /(?:^| )([XV])(?:=| in)/.exec(nesting)?.[1];
  const inner =
    variable === undefined ? shape : shape.replaceAll('@', `$${variable === 'X' ? 'Y' : variable}`);
  return nesting.replace('%', () => inner);
}

export function insertInto(shape: string, value: string, allowDash = false): Insertion {
  const pieces = shape.split(/(@|\$\{SKILLED_SKILL_DIR\})/).map((piece) => {
    if (piece === '@') return { value, mayName: false };
    return piece.startsWith('${SKILLED') ? { value: '/skills/a b', mayName: true } : piece;
  });
  return insertValues(pieces, { allowDash });
}

/** A folder in which scripts really run, with programs that run what the real ones would run. */
export interface ValueOracle extends Disposable {
  /** Returns the scripts that ran `bad`. */
  run(scripts: readonly string[]): Promise<readonly string[]>;
}

const real = `git grep egrep fgrep cat head tail wc ls find sed awk mawk gawk jq tar sort xargs env timeout nice nohup stdbuf tee tr
  cut uniq diff comm file stat du basename dirname seq sh bash dash mkdir touch column date sleep cmp paste nl realpath readlink
  sqlite3 vim ed perl gdb script less man watch flock make gcc zip unzip bc m4 tclsh strace setsid taskset python3 node`;
const quiet = 'gh curl wget dig ping host rm mv cp ln chmod tree kill sudo pwd docker';
// Listed programs. Some of their options and commands run others.
const listed: Readonly<Record<string, string>> = {
  npm: 'case $1 in run|test) ;; *) exit;; esac; [ "$1 $2" = "run bad" ] && bad; for a; do sh -c "true \\"$a\\""; done',
  kubectl: 'p=; for a; do case $p$a in --kubeconfig*) bad;; esac; p=; [ "$a" = --kubeconfig ] && p=$a; done',
  rg: 'for a; do case $a in --pre*|--hostname*) bad;; esac; done',
  ...Object.fromEntries(
    ['yarn', 'pnpm', 'cargo', 'go', 'pip'].map((name) => [
      name,
      'for a; do case $a in -*bad*) bad;; esac; done',
    ]),
  ),
  curl: 'for a; do case $a in -K*|--config*|-o*bad*) bad;; esac; done',
};
// Others evaluate all that they get.
const evaluating =
  'for a; do case $a in -*) sh -c "${a#*=}"; sh -c "${a#-?}";; esac; sh -c "$a"; done; exec sh';
const interpreting = `while [ $# -gt 0 ]; do case $1 in
  -[uBsSEI]|--) shift;; -*) sh -c "$2"; sh -c "\${1#*=}"; exit;; *) break;; esac; done
  if [ $# = 0 ] || [ "$1" = - ]; then exec sh; elif [ -e "$1" ]; then exec sh "$1"; else exec sh -c "$1"; fi`;

export function createValueOracle({ usesReal }: { readonly usesReal: boolean }): ValueOracle {
  const folder = tree();
  const env = { PATH: folder.at('bin'), HOME: folder.at('home') };
  const program = (name: string, body: string): void => {
    chmodSync(folder.write(`bin/${name}`, `#!/bin/sh\n${body}\n`), 0o755);
  };
  program('bad', `echo "$SHAPE" >> '${folder.at('ran')}'`);
  const made = new Set(['bad']);
  const once = (name: string, make: () => void): void => {
    if (!made.has(name)) make();
    made.add(name);
  };
  for (const [name, body] of Object.entries(listed)) once(name, () => program(name, body));
  for (const name of quiet.split(/\s+/)) once(name, () => program(name, ':'));
  for (const name of ['python', 'python3', 'node', 'perl', 'ruby', 'php', 'tsx'])
    if (!usesReal || findProgram(name) === undefined) once(name, () => program(name, interpreting));
  for (const name of real.split(/\s+/))
    once(name, () => {
      const found = findProgram(name);
      if (found === undefined || (!usesReal && isRare(name))) program(name, evaluating);
      else symlinkSync(found, folder.at('bin', name));
    });
  const others = readShapes('hostile').flatMap(
    (line) => line.match(/(?<=^|[;&|] )[a-zA-Z][\w-]*(?= |$)/g) ?? [],
  );
  for (const name of others) if (!isKeyword(name)) once(name, () => program(name, evaluating));
  folder.write('ran', '');
  for (const name of ['f', 'x', 'x.py', 'x.js', 'x.pl', 'x.rb', 'x.php', 'run.sh', 'a.tar'])
    folder.write(`home/${name}`, '');
  chmodSync(folder.write('home/x.sh', ''), 0o755);
  // Git looks for programs in the settings only when it is inside a repository.
  const start = "git init -q; git add .; git -c user.name=a -c user.email=a@b commit -qm 'a'; git tag v1";
  if (usesReal) execFileSync('/bin/bash', ['-c', start], { cwd: folder.at('home'), env, stdio: 'ignore' });
  return {
    async run(scripts) {
      const before = readFileSync(folder.at('ran'), 'utf8').length;
      const files = scripts.map((script, index) => folder.write(`scripts/${index}`, script));
      // One process of bash runs each script in a process of its own, which is faster than starting bash for each.
      const driver = `for s in "$@"; do export SHAPE="\${s##*/}"; (cd '${folder.at('home')}'; . "$s") </dev/null >/dev/null 2>&1 3>&-; done; exit 0`;
      await promisify(execFile)('/bin/bash', ['-c', driver, '_', ...files], {
        env,
        timeout: 5 * minute,
      });
      const ran = new Set(readFileSync(folder.at('ran'), 'utf8').slice(before).trim().split('\n'));
      return scripts.filter((_, index) => ran.has(String(index)));
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

function findProgram(name: string): string | undefined {
  return ['/usr/bin', '/usr/local/bin', '/bin'].map((folder) => path.join(folder, name)).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // This machine does not have it.
  }
}

function isRare(name: string): boolean {
  return /^(?:vim|ed|sqlite3|gdb|script|less|man|watch|flock|make|gcc|bc|m4|tclsh|strace)$/.test(name);
}

function isKeyword(name: string): boolean {
  return /^(?:if|while|for|select|case|do|done|then|fi|in|eval|exec|source|trap|alias|enable|hash|shopt|set|command|builtin|complete|compgen|bind|fc|coproc|mapfile|readarray|read|declare|typeset|local|export|readonly|unset|let|getopts|test|printf|ulimit|umask|jobs|wait|caller|pushd|cd|echo|time|bad|true)$/.test(
    name,
  );
}
