import { resolve, sep } from 'node:path';
import { AgentError, type Protection } from '../core/index.ts';
import { below, isWithin, resolveExisting } from './paths.ts';

/**
 * A protected path. Programs on the host read it as configuration or run it automatically, so a skill must
 * not change it.
 */
interface ProtectedPath {
  /** A name, or a folder and a name joined by a slash. Protected everywhere in the workspace. */
  readonly path: string;
  /** The reason for the protection, worded to follow "It is protected:". */
  readonly reason: string;
  /** Set if user rules cannot make the path writable. */
  readonly isClosed?: true;
  /**
   * Set if Git writes the path when it creates a repository. Commands that the user allowed to create
   * repositories can change it.
   */
  readonly isRepository?: true;
  /** Set if the path is protected below `node_modules` as well. */
  readonly inDependencies?: true;
}

const gitRuns = 'it can make git run programs.';
const shellRuns = 'a shell runs it when it starts.';
const editorRuns = 'it can make an editor run tasks and programs.';
const agentObeys = 'agents read their permissions, hooks and servers from it.';
const managerRuns = 'it configures a package manager and can make it run programs.';
const holdsSecrets = 'it contains credentials or trust settings.';

/**
 * The only list of protected paths, used by file tools and sandboxes. It omits `.gitignore`, `.gitattributes`
 * and `.github`, which can only choose among programs that the user's own configuration names.
 */
export const protectedPaths: readonly ProtectedPath[] = [
  { path: '.skilled', reason: 'it decides what skills may do.', isClosed: true, inDependencies: true },
  { path: '.git', reason: gitRuns, isClosed: true, isRepository: true, inDependencies: true },
  { path: '.gitmodules', reason: gitRuns, isRepository: true },
  ...listed(gitRuns, '.gitconfig .githooks .config/git .hgrc .hg/hgrc'),
  ...listed('it can make git hooks run programs.', '.husky .pre-commit-config.yaml .lefthook'),
  ...listed('it can make git hooks run programs.', '.lefthook.yml .lefthook.yaml lefthook.yml lefthook.yaml'),
  ...listed(agentObeys, '.claude .agents .mcp.json .pi .codex .gemini .cursor .opencode .github/skills'),
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
  reason: 'programs read variables from it, including credentials and addresses.',
};
const byPath = new Map(protectedPaths.map((one) => [one.path, one]));

/** Returns the protected path that a name in a folder matches, in any spelling a file system may accept. */
export function protectedName(
  folder: string,
  name: string,
  isInDependencies: boolean,
): ProtectedPath | undefined {
  // This fast check rules out almost all names.
  if (isPlain.test(name) && !byPath.has(name) && !twoNames.has(name)) return undefined;
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
 * Returns whether users or their tools usually run a file with this name, for example as a build, test or
 * script. Skills may change such files because that is often the task, but users should learn of the change
 * before they run the file.
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

/**
 * The folder of installed packages. In it, only paths with `inDependencies` are protected, so that packages
 * can be installed.
 */
export const dependencyFolder = 'node_modules';

/** Returns the first protected path among the given path components, which start at the workspace. */
export function findProtected(names: readonly string[]): ProtectedPath | undefined {
  for (const [index, name] of names.entries()) {
    const before = names.slice(0, index);
    const found = protectedName(before.at(-1) ?? '', name, before.includes(dependencyFolder));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns a path's protection for the policy, or undefined if the path is not protected. */
export function protectionOf(path: string, workspace: string): Protection | undefined {
  const found = protectedIn(path, workspace);
  if (found === undefined) return undefined;
  return {
    reason: `"${path}" is protected: ${found.reason}`,
    hint: hintFor(found),
    isNamedBy: (spec) => found.isClosed !== true && namesProtected(spec),
  };
}

/**
 * Returns the protected path that covers the given path, checked both as written and with links
 * resolved. Reads from disk.
 */
function protectedIn(path: string, workspace: string): ProtectedPath | undefined {
  const located = resolve(workspace, path);
  const written = isWithin(located, workspace)
    ? findProtected(below(workspace, located).split(sep))
    : undefined;
  if (written !== undefined) return written;
  try {
    const [root, { real, missing }] = [resolveExisting(workspace).real, resolveExisting(located)];
    return isWithin(real, root) ? findProtected([...below(root, real).split(sep), ...missing]) : undefined;
  } catch {
    return undefined; // A path whose links cannot be resolved cannot be written either.
  }
}

/**
 * Returns whether a rule's pattern, such as `.vscode/**`, explicitly names a protected path. The pattern
 * `**` does not.
 */
function namesProtected(spec: string): boolean {
  return findProtected(spec.split('/').map((name) => name.replace(/\*+$/, ''))) !== undefined;
}

/**
 * Throws if a path is protected or inside a protected path. `approved` is the real path that the user
 * approved for this call. That path and its parent folders are allowed, unless the protected path has
 * `isClosed` set.
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

/** Returns the hint for a user who wants to change a protected path. */
function hintFor({ path, isClosed }: ProtectedPath): string {
  if (isClosed !== true)
    return `Change it yourself, or allow it with a rule that names it, such as \`Write(${path})\`; each call then needs an approval.`;
  return path === '.git' ? 'Use git itself.' : 'Only a person can change the skilled settings.';
}

/** Returns whether a name is `.env` or a variant of it, but not a template, which contains no secrets. */
function isEnvironmentFile(plain: string): boolean {
  return /^\.env(?:rc)?(?:$|[._-])/.test(plain) && !/[._-](?:example|sample|template)$/.test(plain);
}

/**
 * Normalises names that a file system may treat as equal: unifies case and Unicode form, and removes
 * invisible characters and stream names.
 */
function plainName(name: string): string {
  const folded = name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase();
  const plain = folded.replace(/:.*$/s, '').replace(/[. ]+$/, '');
  return shortNames.get(plain) ?? plain;
}

// Short (8.3) names of protected paths on Windows.
const shortNames: ReadonlyMap<string, string> = new Map(
  [...byPath.keys(), '.env', '.envrc']
    .filter((path) => path.startsWith('.') && !path.includes('/'))
    .flatMap((path) => {
      const [, stem = '', end = ''] = /^\.([^.]*)(?:.*\.([^.]{1,3})[^.]*)?$/.exec(path) ?? [];
      const short = `${stem.slice(0, 6)}~1${end === '' ? '' : `.${end}`}`;
      return [[short, path] as const];
    }),
);
