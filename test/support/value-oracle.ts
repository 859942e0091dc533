import { execFile, execFileSync } from 'node:child_process';
import { accessSync, chmodSync, constants, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { insertValues, type Insertion } from '../../src/shell/insert-values.ts';
import { minute } from './deadline.ts';
import { tree } from './tree.ts';

/** Values that run the program `bad` if anything evaluates them. */
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
  // These values run nothing, but could be an option, a file, a reference or several words.
  ...['-rf src', '@file', ':main', '+main', '*', 'qa qb', '--output=planted', '-oplanted', 'of=planted'],
];

// Constructs in which each shape is also tested. `%` is the shape; the first entry is the shape alone.
export const nestings: readonly string[] = [
  '%',
  'if true; then % ; fi | cat',
  'ls -- "$(%)"',
  'timeout 5 %',
  'X=@; Y="$X"; %',
  'for V in @; do %; done',
  'echo @ | %',
  '{ %; } <<< @',
  'echo @ > f.txt; %',
];

/** Reads the shapes of a fixture. `@` marks the position of each argument. */
export function readShapes(name: string): readonly string[] {
  const file = path.join(import.meta.dirname, '../fixtures/skill-commands', `${name}.txt`);
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => (name === 'honest' ? line.replace(/\$\{?[a-z]+\}?/g, '@') : line));
}

/**
 * Nests a shape in a construct. If the construct passes the value in a variable, the variable replaces `@` in
 * the shape.
 */
export function nest(shape: string, nesting: string): string {
  const variable = /(?:^| )([XV])(?:=| in)/.exec(nesting)?.[1];
  const expansion = `$${variable === 'X' ? 'Y' : variable}`;
  const word = /["']/.test(shape) ? expansion : `"${expansion}"`;
  const inner = variable === undefined ? shape : shape.replaceAll('@', () => word);
  return nesting.replace('%', () => inner);
}

export function insertInto(shape: string, value: string, allowDash = false): Insertion {
  const pieces = shape.split(/(@|\$\{SKILLED_SKILL_DIR\})/).map((piece) => {
    if (piece === '@') return { value, mayName: false };
    return piece.startsWith('${SKILLED')
      ? { value: '/skills/a b', mayName: true, isSkillFolder: true }
      : piece;
  });
  return insertValues(pieces, { allowDash });
}

/** A script with a value, and the shape that it is made from. */
export interface FilledShape {
  readonly shape: string;
  readonly value: string;
  readonly script: string;
  /** Whether the skill allows values that are options. */
  readonly allowDash?: boolean;
}

/** Returns the script that inserts a value into a shape, or undefined if the value is refused. */
export function fillShape(shape: string, value: string, allowDash = false): FilledShape | undefined {
  const insertion = insertInto(shape, value, allowDash);
  return 'script' in insertion ? { shape, value, script: insertion.script, allowDash } : undefined;
}

/** A folder in which scripts are executed. Its programs run whatever the real programs would run. */
export interface ValueOracle extends Disposable {
  /**
   * Returns the scripts in which a value was more than data: a script ran `bad`, wrote the file `planted`, or
   * gave a program a part of the value or the value as an option.
   */
  run(filled: readonly FilledShape[]): Promise<readonly string[]>;
}

const real = `git grep egrep fgrep cat head tail wc ls find sed awk mawk gawk jq tar sort xargs env timeout nice nohup stdbuf tee tr
  cut uniq diff comm file stat du basename dirname seq sh bash dash mkdir touch column date sleep cmp paste nl realpath readlink
  sqlite3 vim ed perl gdb script less man watch flock make gcc zip unzip bc m4 tclsh strace setsid taskset python3 node`;
const quiet = 'gh curl wget dig ping host rm mv cp ln chmod tree kill sudo pwd docker';
// Stubs for allowed programs. Some of their options and commands run other programs.
const listed: Readonly<Record<string, string>> = {
  npm: 'case $1 in run|test) ;; *) exit;; esac; [ "$1 $2" = "run bad" ] && bad; for a; do /bin/sh -c "true \\"$a\\""; done',
  kubectl: 'p=; for a; do case $p$a in --kubeconfig*) bad;; esac; p=; [ "$a" = --kubeconfig ] && p=$a; done',
  rg: 'for a; do case $a in --) break;; --pre*|--hostname*) bad;; esac; done',
  ...Object.fromEntries(
    ['yarn', 'pnpm', 'cargo', 'go', 'pip'].map((name) => [
      name,
      'for a; do case $a in -*bad*) bad;; esac; done',
    ]),
  ),
  curl: 'for a; do case $a in -K*|--config*|-o*bad*) bad;; esac; done',
};
// A stub for all other programs. It evaluates every argument.
const evaluating =
  'for a; do case $a in -*) /bin/sh -c "${a#*=}"; /bin/sh -c "${a#-?}";; esac; /bin/sh -c "$a"; done; exec /bin/sh';
const interpreting = `while [ $# -gt 0 ]; do case $1 in
  -[uBsSEI]|--) shift;; -*) /bin/sh -c "$2"; /bin/sh -c "\${1#*=}"; exit;; *) break;; esac; done
  set -- /bin/sh "$@"
  if [ $# = 1 ] || [ "$2" = - ]; then exec "$1"; elif [ -e "$2" ]; then exec "$@"; else exec "$1" -c "$2"; fi`;

export function createValueOracle({ usesReal }: { readonly usesReal: boolean }): ValueOracle {
  const folder = tree();
  const env = { PATH: folder.at('bin'), HOME: folder.at('home') };
  const program = (name: string, body: string): void => {
    const record = `printf '%s\\0' "$SHAPE" '${name}' "$@" '${endOfCall}' >> '${folder.at('calls')}'`;
    chmodSync(folder.write(`bin/${name}`, `#!/bin/sh\n${record}\n${body}\n`), 0o755);
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
      else program(name, `exec '${found}' "$@"`);
    });
  const others = readShapes('hostile').flatMap(
    (line) => line.match(/(?<=^|[;&|] )[a-zA-Z][\w-]*(?= |$)/g) ?? [],
  );
  for (const name of others) if (!isKeyword(name)) once(name, () => program(name, evaluating));
  folder.write('ran', '');
  folder.write('calls', '');
  folder.write('home/zz-other', '');
  for (const name of ['f', 'x', 'x.py', 'x.js', 'x.pl', 'x.rb', 'x.php', 'run.sh', 'a.tar'])
    folder.write(`home/${name}`, '');
  chmodSync(folder.write('home/x.sh', ''), 0o755);
  // Git reads its settings for other programs only inside a repository.
  const start = "git init -q; git add .; git -c user.name=a -c user.email=a@b commit -qm 'a'; git tag v1";
  if (usesReal) execFileSync('/bin/bash', ['-c', start], { cwd: folder.at('home'), env, stdio: 'ignore' });
  return {
    async run(filled) {
      folder.write('ran', '');
      folder.write('calls', '');
      const files = filled.map(({ script }, index) => folder.write(`scripts/${index}`, script));
      // One bash process starts a subshell for each script, which is faster than one bash per script.
      const driver = `cd '${folder.at('home')}'; for s in "$@"; do export SHAPE="\${s##*/}"; (. "$s") </dev/null >/dev/null 2>&1 3>&-; if [ -e planted ]; then bad; /bin/rm -rf planted; fi; done; exit 0`;
      await promisify(execFile)('/bin/bash', ['-c', driver, '_', ...files], {
        env,
        timeout: 5 * minute,
      });
      const escaped = new Set(readFileSync(folder.at('ran'), 'utf8').trim().split('\n'));
      for (const call of readFileSync(folder.at('calls'), 'utf8').split(`${endOfCall}\0`)) {
        const [number = '', name = '', ...args] = call.split('\0').slice(0, -1);
        const source = filled[Number(number)];
        if (number !== '' && source !== undefined && hasEscaped(name, args, source)) escaped.add(number);
      }
      return filled.filter((_, index) => escaped.has(String(index))).map(({ script }) => script);
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const endOfCall = '\u0001end';

/** Whether a call shows that a program received a value as more than data. */
function hasEscaped(name: string, args: readonly string[], filled: FilledShape): boolean {
  const { shape, value, allowDash = false } = filled;
  const isOfShape = (arg: string): boolean => shape.includes(arg);
  const end = args.indexOf('--');
  const [first = ''] = value.split(/\s+/);
  const isGlobbed = value === '*' && args.includes('zz-other');
  const isSplit =
    value === 'qa qb' && args.some((arg) => /q[ab]/.test(arg.replaceAll(value, '')) && !arg.includes('/'));
  const isOption = args.some(
    (arg, index) =>
      !allowDash &&
      (end < 0 || index < end) &&
      /^-\w|^--\w/.test(first) &&
      arg.startsWith(first) &&
      !isOfShape(arg),
  );
  if (isGlobbed || isSplit || isOption) return true;
  const isWhole = (pattern: RegExp): boolean =>
    pattern.test(value) && args.includes(value) && !isOfShape(value);
  if (name === 'git' && /^(?:push|fetch|pull)$/.test(args[0] ?? '')) return isWhole(/^[:+]|\*/);
  if (name === 'curl') return isWhole(/^@/);
  if (/awk$/.test(name)) return isWhole(/^[a-zA-Z]\w*=/);
  return name === 'dd' && isWhole(/=/);
}

function findProgram(name: string): string | undefined {
  return ['/usr/bin', '/usr/local/bin', '/bin'].map((folder) => path.join(folder, name)).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // the program is not installed on this machine
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
