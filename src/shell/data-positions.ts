import { lazy } from '../core/index.ts';
import { subcommands } from './subcommand-positions.ts';
import { all, defineSyntax as syntax, type Syntax } from './syntax.ts';

/** Returns the syntax of a program's arguments, and the number of words that name its subcommand. */
export function syntaxOf(
  name: string,
  words: readonly string[],
): { readonly syntax: Syntax; readonly length: number } | undefined {
  const program = name.replace(/^(python3)\.\d+$/, '$1');
  const found = Object.hasOwn(programs(), program) ? programs()[program] : undefined;
  if (found !== undefined) return { syntax: found, length: 0 };
  if (!Object.hasOwn(subcommands(), name)) return undefined;
  const { before = [], commands = {} } = subcommands()[name] ?? {};
  const start = words.findIndex((word) => !before.includes(word));
  if (start < 0) return undefined;
  for (const length of [2, 1]) {
    const command = words.slice(start, start + length).join(' ');
    const subcommand = Object.hasOwn(commands, command) ? commands[command] : undefined;
    if (subcommand !== undefined) return { syntax: subcommand, length: start + length };
  }
  return undefined;
}

const free = syntax('', 'data', { isFree: true, readsData: true });
const data = { readsData: true };
const script = { isOrdered: true, readsData: true };
// The output option of programs that otherwise only print.
const output = / -[a-zA-Z]*o| --out/;
const twoOperands = / [^-\s]\S*(?: -\S+)* [^-\s]/;

const programs = lazy((): Readonly<Record<string, Syntax>> => ({
  // Programs that only read, print or change files, and never run another program.
  ...all(
    `cat|head|tail|wc|nl|tac|rev|cut|tr|paste|join|fold|fmt|expand|column|comm|cmp|diff|seq|tsort
    grep|egrep|fgrep|strings|od|hexdump|base64|md5sum|sha1sum|sha256sum|sha512sum|cksum|numfmt
    ls|stat|file|du|df|basename|dirname|realpath|readlink|rmdir|rm|date|cal|sleep|expr|id|groups|uname
    ps|pgrep|pidof|lsof|free|uptime|which|whereis|type|dig|host|whois|ping|echo|true|false|:|pwd|cd`,
    free,
  ),
  ...all('mkdir|touch|cp|mv|ln|chmod|tee', { ...free, effects: /^/ }),
  ...all('shuf|iconv', { ...free, effects: output }),
  ...all('uniq|xxd', { ...free, effects: twoOperands }),
  unzip: { ...free, effects: /^(?!.* -[a-zA-Z]*[lptvZ])/ },
  // With -R, some versions of tree run their own output through a shell.
  tree: syntax(
    `-a -d -f -i -h -s -p -u -g -t -r -D -F -C -n --dirsfirst --noreport --gitignore --du --prune -L=data -I=data
    -P=data --filelimit=data`,
    'data',
  ),
  nslookup: syntax('', 'data'),
  dd: syntax('', 'pair', { readsData: true, effects: /^/ }),
  sort: syntax('-r -n -u -h -V -f -b -s -z -R -g -M -k=fixed -t=fixed -o=fixed', 'data', {
    readsData: true,
    effects: output,
  }),
  zip: syntax('-r -q -j -9', 'data', { effects: /^/ }),
  rg: syntax(
    `-n -i -l -c -w -S -F -v -o -s -x -H -N -p -U -u -0 --files --hidden --no-heading --json --count --stats
    --files-with-matches --no-ignore --no-filename --line-number --ignore-case --smart-case --fixed-strings
    --word-regexp --sort=fixed --color=fixed -A=data -B=data -C=data -m=data -g=data -t=data -T=data -e=data
    --glob=data --iglob=data --type=data --regexp=data --max-count=data --max-depth=data --context=data`,
    'data',
    data,
  ),
  find: syntax(
    `-L -H -P -print -print0 -delete -empty -not -a -and -o -or -prune -quit -ls -follow -depth -mount -xdev
    -readable -writable -executable -true -false -name=data -iname=data -path=data -ipath=data -wholename=data
    -lname=data -regex=data -iregex=data -regextype=fixed -type=data -size=data -newer=data -newermt=data
    -mtime=data -mmin=data -atime=data -ctime=data -perm=data -user=data -group=data -maxdepth=data
    -mindepth=data -printf=fixed`,
    'data',
    { special: /^[-(),!]/, readsData: true, ignoresDashes: true },
  ),
  sed: syntax('-n -E -r -i -s -z -u --quiet -e=sed', 'sed data', {
    readsData: true,
    code: '-e',
    effects: / -[a-zA-Z]*i/,
  }),
  // Operands such as `FS=x` set variables, even after `--`.
  ...all(
    'awk|gawk|mawk',
    syntax('-F=fixed -v=pair', 'awk data', {
      readsData: true,
      special: /^-|^[a-zA-Z_]\w*=/,
      ignoresDashes: true,
      effects: />/,
    }),
  ),
  jq: syntax(
    `-r -c -n -s -e -S -C -M -R -j -a -rc -rn -nr -sr -rs --raw-output --compact-output --slurp --null-input
    --exit-status --sort-keys --raw-input --tab --indent=fixed --arg=fixed,data --argjson=fixed,data
    --slurpfile=fixed,data --rawfile=fixed,data`,
    'fixed data',
    data,
  ),
  tar: syntax(
    '-c -x -t -z -j -J -v -p -k -f=plain -C=plain --exclude=data --strip-components=fixed --gzip --list',
    'data',
    { readsData: true, effects: /^(?!.*(?: -[a-zA-Z]*t| --list))/ },
  ),
  curl: syntax(
    `-s -S -L -f -i -I -v -k -g -G -4 -6 --silent --show-error --location --fail --head --get --compressed
    --fail-with-body --globoff --no-progress-meter -o=output -w=format -X=fixed -m=data -A=data -e=data -u=data
    -H=data -d=data --output=output --write-out=format --request=fixed --max-time=data --connect-timeout=data
    --retry=data --header=data --data=data --data-raw=data --data-binary=data --data-urlencode=pair --url=data
    --json=data --user-agent=data --user=data`,
    'data',
    {
      special: /^[-@]/,
      readsData: true,
      ignoresDashes: true,
      effects: /(?: -[a-zA-Z]*o| --output)(?! ?\/dev\/null )/,
    },
  ),
  wget: syntax('-q -c -nv -O=fixed -T=fixed --timeout=fixed --quiet --spider --header=data', 'data', {
    effects: /^(?!.* -[a-zA-Z]*O ?- )/,
  }),
  // Interpreters, which take a script or fixed code, followed by data.
  ...all('python|python3', syntax('-u -B -s -E -I -c=python', 'file data', { ...script, code: '-c' })),
  ...all('node|tsx', syntax('', 'file data', script)),
  ...all('bash|sh|zsh|dash', syntax('-e -u -x -eu -ex -eux', 'file data', script)),
  ...all('perl|ruby|php|Rscript|lua', syntax('', 'file plain', script)),
}));
