import { resolve, sep } from 'node:path';
import { AgentError, type Protection } from '../core/index.ts';
import { below, isWithin, standingOf } from './paths.ts';

/** A path that programs on the host obey or run by themselves, so a skill must not change it. */
interface ProtectedPath {
  /** A name, or two names with a slash, in any folder of the workspace. */
  readonly path: string;
  /** What obeys it, as the end of the sentence "It is protected: …". */
  readonly reason: string;
  /** No rule of a user makes it writable. */
  readonly isClosed?: true;
  /** Git writes it when it makes repositories: a command that a person allowed to make some changes it. */
  readonly isRepository?: true;
  /** Protected below `node_modules` as well. */
  readonly inDependencies?: true;
}

const gitRuns = 'git runs programs that it names.';
const shellRuns = 'a shell runs it when it starts.';
const editorRuns = 'an editor runs tasks and programs that it names.';
const agentObeys = 'agents read their permissions, hooks and servers from it.';
const managerRuns = 'a package manager obeys it, and may run programs that it names.';
const holdsSecrets = 'it holds credentials or says whom to trust.';

/**
 * The only list of protected paths; file tools and sandboxes both use it. `.gitignore`, `.gitattributes` and `.github`
 * are not on it: they choose among programs that the user's own configuration names, and cannot name one.
 */
export const protectedPaths: readonly ProtectedPath[] = [
  { path: '.skilled', reason: 'it decides what skills may do.', isClosed: true, inDependencies: true },
  { path: '.git', reason: gitRuns, isClosed: true, isRepository: true, inDependencies: true },
  { path: '.gitmodules', reason: gitRuns, isRepository: true },
  ...listed(gitRuns, '.gitconfig .githooks .config/git .hgrc .hg/hgrc'),
  ...listed('git hooks run programs that it names.', '.husky .pre-commit-config.yaml .lefthook'),
  ...listed(
    'git hooks run programs that it names.',
    '.lefthook.yml .lefthook.yaml lefthook.yml lefthook.yaml',
  ),
  ...listed(agentObeys, '.claude .agents .mcp.json .codex .gemini .cursor .opencode .github/skills'),
  ...listed(editorRuns, '.vscode .idea .zed .fleet .exrc .vimrc .nvimrc .nvim.lua .dir-locals.el'),
  ...listed(
    managerRuns,
    '.npmrc .yarnrc .yarnrc.yml .yarn/releases .yarn/plugins .pnpmfile.cjs .pnpmfile.mjs',
  ),
  ...listed(managerRuns, '.cargo .pypirc'),
  ...listed(shellRuns, '.profile .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .inputrc'),
  ...listed(shellRuns, '.zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .login .config/fish'),
  ...listed(holdsSecrets, '.ssh .gnupg .aws .netrc'),
];

function listed(reason: string, paths: string): readonly ProtectedPath[] {
  return paths.split(' ').map((path) => ({ path, reason }));
}

const environmentFile: ProtectedPath = {
  path: '.env*',
  reason: 'programs take variables from it, among them credentials and addresses.',
};
const byPath = new Map(protectedPaths.map((one) => [one.path, one]));

/** The protected path that a name in a folder is, in whatever spelling a file system may take for it. */
export function protectedName(
  folder: string,
  name: string,
  isInDependencies: boolean,
): ProtectedPath | undefined {
  if (isPlain.test(name) && !byPath.has(name) && !twoNames.has(name)) return undefined; // almost every name
  const plain = plainName(name);
  const found =
    byPath.get(plain) ??
    byPath.get(`${plainName(folder)}/${plain}`) ??
    (isEnvironmentFile(plain) ? environmentFile : undefined);
  return isInDependencies && found?.inDependencies !== true ? undefined : found;
}

const isPlain = /^[a-z0-9_-](?:[a-z0-9_.-]*[a-z0-9_-])?$/;
const twoNames = new Set(protectedPaths.flatMap(({ path }) => path.split('/').slice(1)));

/**
 * Whether people, or the tools that they use every day, run a file of this name in a folder: a build, a test, a script.
 * Skills may change it, because that is what they are often asked for; who runs it next should know.
 */
export function runsLater(folder: string, name: string): boolean {
  return programNames.test(name) || testNames.test(name) || folder === 'workflows';
}

const programNames = new RegExp(
  `^(?:${[
    'package\\.json|deno\\.jsonc?|.*\\.config\\.[cm]?[jt]s|[Gg]runt[Ff]ile.*|[Gg]ulp[Ff]ile.*',
    '(?:GNU)?[Mm]akefile|.*\\.mk|[Jj]ustfile|[Tt]askfile\\.ya?ml|CMakeLists\\.txt|configure|meson\\.build',
    'Cargo\\.toml|build\\.rs|build\\.gradle(?:\\.kts)?|pom\\.xml|Rakefile|Gemfile|.*\\.gemspec|composer\\.json|mix\\.exs',
    'setup\\.py|setup\\.cfg|pyproject\\.toml|tox\\.ini|noxfile\\.py|conftest\\.py|manage\\.py',
    'Dockerfile.*|(?:docker-)?compose.*\\.ya?ml|Vagrantfile|Jenkinsfile|\\.gitlab-ci\\.yml|.*\\.(?:sh|bash|ps1|bat|cmd)',
  ].join('|')})$`,
);
const testNames = /[._-](?:test|spec)\.[cm]?[jt]sx?$|^test_.*\.py$|_(?:test|spec)\.(?:py|go|rb|exs)$/;

/** Where packages of others are: of what they bring, only repositories matter, and installing them must work. */
export const dependencyFolder = 'node_modules';

/** What is protected on the way down these names, from the workspace on. */
export function findProtected(names: readonly string[]): ProtectedPath | undefined {
  for (const [index, name] of names.entries()) {
    const before = names.slice(0, index);
    const found = protectedName(before.at(-1) ?? '', name, before.includes(dependencyFolder));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What the policy has to know of a path that somebody wants to change; undefined for one that is not protected. */
export function protectionOf(path: string, workspace: string): Protection | undefined {
  const found = protectedIn(path, workspace);
  if (found === undefined) return undefined;
  return {
    reason: `"${path}" is protected: ${found.reason}`,
    hint: hintFor(found),
    isNamedBy: (spec) => found.isClosed !== true && namesProtected(spec),
  };
}

/** What is protected of a path, as it is written or where its links lead; looks at the disk. */
function protectedIn(path: string, workspace: string): ProtectedPath | undefined {
  const located = resolve(workspace, path);
  const written = isWithin(located, workspace)
    ? findProtected(below(workspace, located).split(sep))
    : undefined;
  if (written !== undefined) return written;
  try {
    const [root, { real, missing }] = [standingOf(workspace).real, standingOf(located)];
    return isWithin(real, root) ? findProtected([...below(root, real).split(sep), ...missing]) : undefined;
  } catch {
    return undefined; // a path that cannot be followed cannot be written
  }
}

/** Whether the pattern of a rule, such as `.vscode/**`, names a protected path itself; `**` does not. */
function namesProtected(spec: string): boolean {
  return findProtected(spec.split('/').map((name) => name.replace(/\*+$/, ''))) !== undefined;
}

/**
 * Throws for what is in, or is, a protected path. `approved` is the real path that a person approved for this very call:
 * it and the folders above it pass, unless no rule can open them.
 */
export function checkUnprotected(
  roots: readonly string[],
  real: string,
  shown: string,
  approved?: string,
): void {
  for (const root of roots.filter((folder) => isWithin(real, folder))) {
    const found = findProtected(below(root, real).split(sep));
    if (found === undefined) continue;
    if (found.isClosed !== true && approved !== undefined && isWithin(approved, real)) continue;
    throw new AgentError('policy.denied', `"${shown}" is protected: ${found.reason}`, {
      hint: hintFor(found),
    });
  }
}

/** What a person can do who wants a protected path changed. */
function hintFor({ path, isClosed }: ProtectedPath): string {
  if (isClosed !== true)
    return `Change it yourself, or allow it by a rule of your own that names it, as \`Write(${path})\`; each call is then asked about.`;
  return path === '.git' ? 'Use git itself.' : 'A person changes the settings of skilled.';
}

/** `.env` and its variants; templates of it hold nothing and are everyday files. */
function isEnvironmentFile(plain: string): boolean {
  return /^\.env(?:rc)?(?:$|[._-])/.test(plain) && !/[._-](?:example|sample|template)$/.test(plain);
}

/** A name as the file systems see it that take several spellings for one: by case, by form, by what is not seen, by stream. */
function plainName(name: string): string {
  const letters = name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase();
  const plain = letters.replace(/:.*$/s, '').replace(/[. ]+$/, '');
  return shortNames.get(plain) ?? plain;
}

// What Windows calls them where names have eight letters.
const shortNames: ReadonlyMap<string, string> = new Map(
  [...byPath.keys(), '.env', '.envrc']
    .filter((path) => path.startsWith('.') && !path.includes('/'))
    .flatMap((path) => {
      const [, letters = '', end = ''] = /^\.([^.]*)(?:.*\.([^.]{1,3})[^.]*)?$/.exec(path) ?? [];
      const short = `${letters.slice(0, 6)}~1${end === '' ? '' : `.${end}`}`;
      return [[short, path] as const];
    }),
);
