/** A kind of position in a command. It determines which values can be inserted there. */
export type Kind =
  /** Any string that does not look like an option. */
  | 'data'
  /** Any text after an equals sign that the file itself contains. */
  | 'pair'
  /** A name or a path of letters, digits and `_ . / @ + -`, because a shell could read it a second time. */
  | 'plain'
  /** Digits only. */
  | 'number'
  /** No value: code, an output file, or the name of a program. */
  | 'fixed'
  /** No value, and code in which awk starts no other program. */
  | 'awk'
  /** No value: a file that runs as a program. */
  | 'file';

/** The positions of a program's arguments. */
export interface Syntax {
  /** The kinds of each option's values; empty for a flag. The option `-#` represents all numbers. */
  readonly options: ReadonlyMap<string, readonly Kind[]>;
  /** The kinds of the operands. The last kind also applies to all later operands. */
  readonly operands: readonly Kind[];
  /** The option whose value is code. If it is present, the first operand kind does not apply. */
  readonly code: string;
  /** Whether the options end at the first operand. */
  readonly isOrdered: boolean;
  /** Whether no arguments can make the program run another one. If so, its options are not parsed. */
  readonly isFree: boolean;
  /** Whether the program reads its input as data. */
  readonly readsData: boolean;
  /** Matches the beginning of a value that the program would not read as data. */
  readonly special: RegExp;
  /** Whether `--` does not end the program's options. */
  readonly ignoresDashes: boolean;
}

/** Returns the syntax of a program's arguments, and the number of words that name its subcommand. */
export function syntaxOf(
  name: string,
  words: readonly string[],
): { readonly syntax: Syntax; readonly length: number } | undefined {
  if (Object.hasOwn(programs, name)) return { syntax: programs[name] ?? free, length: 0 };
  if (!Object.hasOwn(groups, name)) return undefined;
  const { before = [], commands = {} } = groups[name] ?? {};
  const start = words.findIndex((word) => !before.includes(word));
  if (start < 0) return undefined;
  for (const length of [2, 1]) {
    const command = words.slice(start, start + length).join(' ');
    if (Object.hasOwn(commands, command))
      return { syntax: commands[command] ?? free, length: start + length };
  }
  return undefined;
}

/** The syntax of the skill's own scripts, which receive their arguments as data. */
export const ownScript = syntax('', 'data', { isFree: true, readsData: true });

function syntax(options: string, operands: string, more: Partial<Syntax> = {}): Syntax {
  const entries = split(options).map((option): [string, readonly Kind[]] => {
    const [name = '', kinds = ''] = option.split('=');
    return [name, kinds === '' ? [] : (kinds.split(',') as Kind[])];
  });
  return {
    options: new Map(entries),
    operands: split(operands) as Kind[],
    code: '',
    isOrdered: false,
    isFree: false,
    readsData: false,
    special: /^-/,
    ignoresDashes: false,
    ...more,
  };
}

function split(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

function all(names: string, shared: Syntax): Readonly<Record<string, Syntax>> {
  return Object.fromEntries(names.split(/[|\n]\s*/).map((name) => [name.trim(), shared]));
}

const free = syntax('', 'data', { isFree: true, readsData: true });
const data = { readsData: true };
const script = { isOrdered: true, readsData: true };

const programs: Readonly<Record<string, Syntax>> = {
  // Programs that only read, print or change files, and never run another program.
  ...all(
    `cat|head|tail|wc|nl|tac|rev|cut|tr|uniq|paste|join|fold|fmt|expand|column|comm|cmp|diff|seq|shuf|tsort
    grep|egrep|fgrep|strings|od|xxd|hexdump|base64|md5sum|sha1sum|sha256sum|sha512sum|cksum|iconv|numfmt
    ls|stat|file|tree|du|df|basename|dirname|realpath|readlink|mkdir|rmdir|touch|cp|mv|ln|rm|chmod|tee|dd
    date|cal|sleep|expr|id|groups|uname|hostname|ps|pgrep|pidof|lsof|free|uptime|which|whereis|type
    dig|host|nslookup|whois|ping|unzip|echo|true|false|:|pwd|cd`,
    free,
  ),
  sort: syntax('-r -n -u -h -V -f -b -s -z -R -g -M -k=fixed -t=fixed -o=fixed', 'data', data),
  zip: syntax('-r -q -j -9', 'data'),
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
  sed: syntax('-n -E -r -i -s -z -u --quiet -e=number', 'number data', { ...data, code: '-e' }),
  ...all('awk|gawk|mawk', syntax('-F=fixed -v=data', 'awk data', data)),
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
    data,
  ),
  curl: syntax(
    `-s -S -L -f -i -I -v -k -g -G -4 -6 --silent --show-error --location --fail --head --get --compressed
    --fail-with-body --globoff --no-progress-meter -o=fixed -w=fixed -X=fixed -m=data -A=data -e=data -u=data
    -H=data -d=data --output=fixed --write-out=fixed --request=fixed --max-time=data --connect-timeout=data
    --retry=data --header=data --data=data --data-raw=data --data-binary=data --data-urlencode=pair --url=data
    --json=data --user-agent=data --user=data`,
    'data',
    { special: /^[-@]/, readsData: true, ignoresDashes: true },
  ),
  wget: syntax('-q -c -nv -O=fixed -T=fixed --timeout=fixed --quiet --spider --header=data', 'data'),
  // Interpreters, which take a fixed file or fixed code, followed by data.
  ...all('python|python3', syntax('-u -B -s -E -I -c=fixed', 'file data', { ...script, code: '-c' })),
  ...all('node|tsx', syntax('-e=fixed -p=fixed', 'file data', { ...script, code: '-e' })),
  ...all('bash|sh|zsh|dash', syntax('-e -u -x -eu -ex -eux', 'file data', script)),
  ...all('perl|ruby|php|Rscript|lua', syntax('', 'file plain', script)),
};

const history = `-p -s -w -b -m -# -U=data -n=data -L=data -S=data -G=data -M -C -z --oneline --stat --graph --all
  --decorate --follow --patch --no-patch --reverse --no-merges --merges --first-parent --name-only --name-status
  --shortstat --numstat --dirstat --raw --summary --cached --staged --no-color --abbrev-commit --quiet
  --no-renames --find-renames --word-diff --ignore-all-space --ignore-space-change --exit-code --check
  --full-history --branches --tags --remotes --no-ext-diff --no-textconv --boundary --cherry-pick --left-right
  --count --pickaxe-regex --regexp-ignore-case -i -E --function-context -W --merge-base --minimal --topo-order
  --date-order --grep=data --author=data --committer=data --since=data --until=data --after=data --before=data
  --format=data --pretty=data --date=data --max-count=data --skip=data --unified=data --diff-filter=data
  --color=fixed --abbrev=data --decorate=fixed --word-diff=fixed --diff-algorithm=fixed`;

const revisions = `--verify --short --abbrev-ref --symbolic-full-name --show-toplevel --is-ancestor --fork-point
  --independent --octopus -q --quiet --tags --all --long --always --dirty --abbrev=data --match=data
  --exclude=data --contains --exact-match -v -s -n -e -sn -sne -p -w -c -L=data --porcelain --show-email
  --name-only --cached --others --modified --exclude-standard --error-unmatch -r -t -l --full-tree`;

const naming = `-a -r -v -vv -l -n --list --all --remotes --show-current --merged --no-merged --sort=fixed
  --format=data --contains=data --points-at=data --no-color --ignore-case -i -m=data --message=data -d -D --delete
  -b=data -B=data -c=data -C=data --track --detach -q --quiet --annotate -s -f --force`;

const groups: Readonly<
  Record<string, { before?: readonly string[]; commands: Readonly<Record<string, Syntax>> }>
> = {
  git: {
    before: ['--no-pager', '-P'],
    commands: {
      ...all('log|show|diff|shortlog|rev-list|range-diff|diff-tree', syntax(history, 'data', data)),
      ...all(
        'rev-parse|merge-base|describe|blame|cherry|ls-files|ls-tree|name-rev|show-branch',
        syntax(revisions, 'data', data),
      ),
      ...all('branch|tag|checkout|switch', syntax(naming, 'data', data)),
      grep: syntax(
        `-n -i -l -c -w -E -F -P -h -H -q -L -p -W --count --heading --break --cached --untracked --name-only
        --line-number --ignore-case --fixed-strings --extended-regexp -e=data -A=data -B=data -C=data`,
        'data',
        data,
      ),
      commit: syntax(
        `-a -v -q -s --amend --no-edit --allow-empty --quiet --signoff --all -m=data --message=data
        --author=data --date=data --fixup=data -F=data --file=data`,
        'data',
        data,
      ),
      ...all(
        'add|restore|reset|rm|mv|status',
        syntax(
          `-A -u -p -N -n -s -q -r -f -b -sb --all --update --cached --staged --worktree --hard --soft --mixed
          --short --branch --porcelain --quiet --force --source=data -S -W`,
          'data',
          data,
        ),
      ),
      'stash push': syntax(
        '-u -q -k --include-untracked --keep-index --staged -m=data --message=data',
        'data',
      ),
      'stash show': syntax('-p -u --stat', 'data', data),
      'worktree add': syntax('-b=data -B=data --detach -f --quiet', 'data'),
      'worktree remove': syntax('-f --force', 'data'),
      // A remote's name could also be an address that makes git run another program.
      ...all(
        'push|fetch|pull',
        syntax(
          '-u -f -q -p --set-upstream --force-with-lease --force --tags --prune --quiet --dry-run --depth=data',
          'fixed data',
        ),
      ),
    },
  },
  // The commands of gh, docker and docker compose in this list start no program of the user's choice.
  gh: {
    commands: all(
      `pr view|pr diff|pr checks|pr list|pr status|pr create|pr comment|pr review|pr edit|pr close|pr merge
      issue view|issue list|issue status|issue create|issue comment|issue edit|issue close|label list
      run view|run list|workflow view|workflow list|release view|release list|release create|repo view
      repo list|search code|search issues|search prs|search repos|search commits|api|gist view|gist list`,
      syntax('--jq=fixed -q=fixed --template=fixed', 'data', { isFree: true, readsData: true }),
    ),
  },
  docker: {
    commands: {
      ...all(
        `logs|inspect|ps|images|history|port|stats|top|diff|stop|rm|rmi|tag|pull|info|version
        image ls|image inspect|container ls|container inspect|container logs|volume ls|volume inspect
        network ls|network inspect|compose logs|compose ps|compose images|compose top`,
        free,
      ),
      build: syntax(
        '-q --no-cache --pull -t=data --tag=data --build-arg=pair -f=fixed --file=fixed --target=fixed',
        'fixed',
      ),
      exec: syntax('-i -t -it -w=data -u=data', 'data fixed', { isOrdered: true }),
    },
  },
  kubectl: {
    commands: all(
      `get|describe|logs|top pod|top node|explain|rollout history|rollout status|api-resources|events|version
      cluster-info|config current-context|config get-contexts`,
      syntax(
        `-A -f -w -p --all-namespaces --previous --timestamps --all-containers --show-labels --no-headers
        --recursive --watch -n=data -l=data -c=data -o=fixed --namespace=data --selector=data --container=data
        --context=data --tail=data --since=data --since-time=data --field-selector=data --sort-by=data
        --output=fixed --revision=data --follow`,
        'data',
      ),
    ),
  },
  npm: {
    commands: {
      ...all('view|info|show|ls|list|outdated|why|explain', syntax('--json -g --all --depth=fixed', 'plain')),
      search: syntax('--json --long --parseable', 'data'),
      // Earlier versions of npm pass arguments through a shell without quoting them.
      test: syntax('--silent -s', 'plain'),
      ...all('run|run-script', syntax('--silent -s --if-present', 'fixed plain')),
    },
  },
  ...Object.fromEntries(
    ['pnpm', 'yarn'].map((name) => [name, { commands: all('why|list|info', syntax('', 'plain')) }]),
  ),
  pip: { commands: all('show|index versions', syntax('-f --files -v', 'plain')) },
  cargo: { commands: all('test|tree|search|info', syntax('-i=plain -p=plain --lib --quiet -q', 'plain')) },
  go: { commands: { doc: syntax('-all -short -src', 'plain') } },
};
