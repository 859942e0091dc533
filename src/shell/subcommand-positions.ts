import { lazy } from '../core/index.ts';
import { all, defineSyntax as syntax, type Syntax } from './syntax.ts';

const data = { readsData: true };
// Matches any arguments, for subcommands that always change files or the state that later commands use.
const effects = /^/;

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

const listing = '--(?:list|all|remotes|contains|merged|no-merged|points-at|show-current)';

/**
 * Returns a pattern for arguments with effects, which are all arguments that do not include one of these
 * options.
 */
function unlessListed(options: string): RegExp {
  return new RegExp(`^(?!.* (?:${options}) )`);
}

const changing = `-A -u -p -N -n -s -q -r -f -b -sb --all --update --cached --staged --worktree --hard --soft
  --mixed --short --branch --porcelain --quiet --force --source=data -S -W`;

const remote = '-f -q --force --tags --quiet --dry-run';

const ofGitHub = `-R=data --repo=data -L=data --limit=data -s=data --state=data -S=data --search=data -A=data
  --author=data --assignee=data -l=data --label=data -H=data --head=data -B=data --base=data -m=data
  --milestone=data`;

const ofDocker = `-a -q --all --quiet --no-stream --no-trunc --human --no-color --no-log-prefix --services
  --format=data --since=data --until=data --tail=data --index=data --status=data`;

const ofCluster = `-A -w -p --all-namespaces --previous --timestamps --all-containers --show-labels --no-headers
  --watch -n=data -l=data -c=data -o=fixed --namespace=data --selector=data --container=data --context=data
  --tail=data --since=data --since-time=data --field-selector=data --sort-by=data --output=fixed
  --revision=data`;

/** The syntaxes of subcommands, and the words that may precede them, keyed by program. */
export const subcommands = lazy((): Subcommands => ({
  git: {
    before: ['--no-pager', '-P'],
    commands: {
      ...all('log|show|diff|shortlog|rev-list|range-diff|diff-tree', syntax(history, 'data', data)),
      ...all(
        'rev-parse|merge-base|describe|blame|cherry|ls-files|ls-tree|name-rev|show-branch',
        syntax(revisions, 'data', data),
      ),
      branch: syntax(naming, 'data', { readsData: true, effects: unlessListed(`-[arlv]+|${listing}`) }),
      tag: syntax(naming, 'data', { readsData: true, effects: unlessListed(`-[ln]|${listing}`) }),
      ...all('checkout|switch', syntax(naming, 'data', { readsData: true, effects })),
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
        { readsData: true, effects },
      ),
      ...all('add|status', syntax(changing, 'data', data)),
      ...all('restore|reset|rm|mv', syntax(changing, 'data', { readsData: true, effects })),
      'stash push': syntax(
        '-u -q -k --include-untracked --keep-index --staged -m=data --message=data',
        'data',
        { effects },
      ),
      'stash show': syntax('-p -u --stat', 'data', data),
      'worktree add': syntax('-b=data -B=data --detach -f --quiet', 'data', { effects }),
      'worktree remove': syntax('-f --force', 'data', { effects }),
      // A remote's name could also be an address that makes git run another program.
      push: syntax(`${remote} -u --set-upstream --force-with-lease`, 'fixed ref'),
      ...all('fetch|pull', syntax(`${remote} -p --prune --depth=data`, 'fixed ref', { effects })),
    },
  },
  gh: {
    commands: {
      ...all(
        `pr view|pr diff|pr checks|pr list|pr status|issue view|issue list|issue status|label list
        run view|run list|workflow view|workflow list|release view|release list|repo view|repo list
        gist view|gist list|search code|search issues|search prs|search repos|search commits`,
        syntax(
          `${ofGitHub} --comments -c --log --log-failed --verbose -v --required --watch --name-only --patch
          --exit-status --raw -r -b=data --branch=data --job=data --attempt=data --sort=fixed --order=fixed
          --color=fixed --jq=fixed -q=fixed --template=fixed -t=fixed --json=fixed --language=data --owner=data
          --extension=data --filename=data --match=data --size=data --created=data --updated=data --closed=data
          --merged=data --involves=data --commenter=data --mentions=data --visibility=fixed --event=data
          --status=data --user=data --commit=data --created-by=data -w=data --workflow=data -e=data`,
          'data',
          data,
        ),
      ),
      ...all(
        'pr create|pr comment|pr review|pr edit|pr close|pr merge|issue create|issue comment|issue edit',
        syntax(
          `${ofGitHub} --draft -d --fill --dry-run --approve -a --request-changes -r --comment -c --squash
          --merge --rebase --delete-branch --auto -t=data --title=data -b=data --body=data -F=fixed
          --body-file=fixed --template=fixed -T=fixed --reviewer=data --add-label=data --remove-label=data
          --add-assignee=data --remove-assignee=data --add-reviewer=data --remove-reviewer=data --project=data
          --subject=data`,
          'data',
          { effects },
        ),
      ),
      'release create': syntax(
        `-R=data --repo=data --draft -d --prerelease -p --generate-notes --latest -t=data --title=data -n=data
        --notes=data -F=fixed --notes-file=fixed --target=data`,
        'data',
      ),
      // With --field, gh reads a file if the value begins with an at sign.
      api: syntax(
        `--paginate --slurp --include -i --silent --verbose -X=fixed --method=fixed -f=pair --raw-field=pair
        -F=fixed --field=fixed --input=fixed --hostname=fixed -H=data --header=data --cache=fixed -q=fixed
        --jq=fixed -t=fixed --template=fixed -p=fixed --preview=fixed`,
        'data',
      ),
    },
  },
  docker: {
    commands: {
      ...all(
        `logs|history|port|stats|top|diff|stop|rm|rmi|info|version|container logs|compose logs|compose images
        compose top`,
        syntax(`${ofDocker} -f -t --timestamps --follow --details --force -n=data --time=data`, 'data'),
      ),
      ...all(
        `ps|inspect|images|image ls|image inspect|container ls|container inspect|volume ls|volume inspect
        network ls|network inspect|compose ps`,
        syntax(`${ofDocker} -s --size -f=data --filter=data --type=data -n=data --last=data`, 'data'),
      ),
      ...all('pull|tag', syntax('-q --quiet -a --all-tags', 'data', { effects })),
      build: syntax('-q --no-cache --pull -t=data --tag=data -f=fixed --file=fixed --target=fixed', 'fixed', {
        effects,
      }),
      exec: syntax('-i -t -it -w=data -u=data', 'data fixed', { isOrdered: true }),
    },
  },
  kubectl: {
    commands: {
      ...all(
        `get|describe|top pod|top node|explain|rollout history|rollout status|api-resources|events|version
        cluster-info|config current-context|config get-contexts`,
        syntax(`${ofCluster} -f=data -R --recursive --filename=data`, 'data'),
      ),
      logs: syntax(`${ofCluster} -f --follow`, 'data'),
    },
  },
  npm: {
    commands: {
      ...all('view|info|show', syntax('--json', 'package')),
      ...all('ls|list|outdated|why|explain', syntax('--json -g --all --depth=fixed', 'package')),
      search: syntax('--json --long --parseable', 'data'),
      // Earlier versions of npm pass arguments through a shell without quoting them.
      test: syntax('--silent -s', 'word'),
      ...all('run|run-script', syntax('--silent -s --if-present', 'fixed word')),
    },
  },
  ...Object.fromEntries(
    ['pnpm', 'yarn'].map((name) => [name, { commands: all('why|list|info', syntax('', 'package')) }]),
  ),
  pip: { commands: all('show|index versions', syntax('-f --files -v', 'package')) },
  cargo: {
    commands: {
      ...all('tree|search|info', syntax('-i=plain -p=plain --quiet -q', 'plain')),
      test: syntax('-p=plain --lib --quiet -q', 'word'),
    },
  },
  go: { commands: { doc: syntax('-all -short -src', 'plain') } },
}));

type Subcommands = Readonly<
  Record<string, { readonly before?: readonly string[]; readonly commands: Readonly<Record<string, Syntax>> }>
>;
