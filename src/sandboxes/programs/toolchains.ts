/**
 * A folder in which users install programs for themselves, and the parts of the folder that these programs
 * need.
 */
export interface Toolchain {
  /** The folder, relative to the home folder unless absolute. */
  readonly root: string;
  /**
   * The files and folders that are visible, relative to `root`. Everything else in `root` stays invisible.
   * `*` in a name matches any text. A final `/*` means that each subfolder contains one installation.
   */
  readonly parts: readonly string[];
  /**
   * Set if `root` contains nothing but programs. It may then be visible as a whole, except for files that
   * look like credentials, because one mount takes less time than several.
   */
  readonly hasOnlyPrograms?: true;
  /** The environment variable that contains the path of `root`. */
  readonly variable?: string;
  /** Set if the variable must be set in a sandbox, because programs would search their home folder instead. */
  readonly isRequired?: true;
  /** The root of another toolchain that these programs need. */
  readonly needs?: string;
  /** A file in the home folder that states which versions to use. It contains no secrets. */
  readonly versionFile?: string;
}

// Version managers that share the file layout of rbenv.
const versionManagers = ['pyenv', 'rbenv', 'nodenv', 'goenv', 'plenv', 'phpenv', 'jenv', 'tfenv'].map(
  (name): Toolchain => ({
    root: `.${name}`,
    parts: ['bin', 'shims', 'libexec', 'plugins', 'versions/*', 'version', `${name}.d`],
    hasOnlyPrograms: true,
    variable: `${name.toUpperCase()}_ROOT`,
    isRequired: true,
  }),
);

const homebrew = ['bin', 'sbin', 'Cellar/*/*', 'opt', 'lib', 'libexec', 'share', 'etc/ca-certificates'];

// The other parts of a conda environment can contain channel addresses with access tokens.
const condaParts = [
  ...['bin', 'condabin', 'lib', 'libexec', 'include', 'share', 'ssl', 'compiler_compat'],
  ...['*-conda-linux-gnu', '*-conda_cos*-linux-gnu', 'envs/*'],
];

/**
 * Installations that can be in any folder. A folder that contains both `sign` and `bin` is the root of an
 * installation. The `pip.conf` of a virtual environment stays invisible, because it can contain the
 * password of a package index.
 */
export const installations: readonly { readonly sign: string; readonly parts: readonly string[] }[] = [
  { sign: 'conda-meta', parts: condaParts },
  { sign: 'pyvenv.cfg', parts: ['bin', 'lib', 'lib64', 'pyvenv.cfg'] },
  { sign: 'lib/node_modules', parts: ['bin', 'lib/node_modules'] },
];

/**
 * All known toolchains. Folders with credentials or configuration, such as `.cargo`, `.aws` or `.config`, are
 * never listed as a whole. Where one toolchain contains another, the inner one comes first.
 */
export const toolchains: readonly Toolchain[] = [
  ...versionManagers,
  {
    root: '.nvm',
    parts: ['versions/*/*', 'alias', 'nvm.sh', 'nvm-exec'],
    hasOnlyPrograms: true,
    variable: 'NVM_DIR',
  },
  { root: '.local/share/fnm', parts: ['node-versions/*/installation', 'aliases'] },
  { root: '.fnm', parts: ['node-versions/*/installation', 'aliases'] },
  {
    root: '.volta',
    parts: ['bin', 'tools', 'layout.v*', 'volta*'],
    variable: 'VOLTA_HOME',
    isRequired: true,
  },
  { root: 'n', parts: ['bin', 'lib', 'n/versions/*/*'] },
  { root: '.npm-global', parts: ['bin', 'lib'] },
  { root: '.npm-packages', parts: ['bin', 'lib'] },
  { root: '.local/share/pnpm', parts: ['*'] },
  { root: '.yarn', parts: ['bin'] },
  { root: '.config/yarn/global', parts: ['node_modules'] },
  { root: '.bun', parts: ['bin', 'install/global/node_modules'] },
  { root: '.deno', parts: ['bin'] },
  {
    root: '.asdf',
    parts: ['bin', 'shims', 'lib', 'libexec', 'plugins', 'installs/*/*', 'asdf.sh'],
    variable: 'ASDF_DATA_DIR',
    isRequired: true,
    versionFile: '.tool-versions',
  },
  { root: '.local/share/mise', parts: ['installs/*/*'], variable: 'MISE_DATA_DIR' },
  { root: '.cargo', parts: ['bin'], needs: '.rustup' },
  {
    root: '.rustup',
    parts: ['toolchains/*', 'settings.toml', 'update-hashes'],
    hasOnlyPrograms: true,
    variable: 'RUSTUP_HOME',
    isRequired: true,
  },
  { root: '.sdkman', parts: ['bin', 'candidates/*/*'], variable: 'SDKMAN_DIR' },
  { root: '.jabba', parts: ['jdk/*'] },
  { root: '.jdks', parts: ['*'] },
  { root: 'go', parts: ['bin'] },
  { root: 'sdk', parts: ['go*'] },
  { root: '.local/go', parts: ['bin', 'src', 'pkg', 'lib', 'go.env', 'VERSION'] },
  {
    root: '.dotnet',
    parts: ['dotnet', 'host', 'sdk', 'shared', 'packs', 'templates', 'tools'],
    variable: 'DOTNET_ROOT',
    isRequired: true,
  },
  { root: '.ghcup', parts: ['bin', 'ghc', 'hls', 'share'] },
  { root: '.cabal', parts: ['bin'] },
  { root: '.rvm', parts: ['bin', 'rubies/*', 'gems/*', 'scripts'] },
  { root: '.pub-cache', parts: ['bin', 'global_packages'] },
  { root: '.config/composer/vendor', parts: ['*'] },
  { root: '.composer/vendor', parts: ['*'] },
  { root: '.krew', parts: ['bin', 'store'] },
  { root: '.pixi', parts: ['bin', 'envs/*'] },
  { root: '.rye', parts: ['py/*', 'tools/*'] },
  { root: '.local/share/uv', parts: ['python/*', 'tools/*'] },
  { root: '.local/share/pipx', parts: ['venvs/*'] },
  { root: '.local/pipx', parts: ['venvs/*'] },
  { root: '.local/share/pypoetry', parts: ['venv'] },
  { root: '.local/aws-cli', parts: ['*'] },
  { root: 'aws-cli', parts: ['*'] },
  { root: 'google-cloud-sdk', parts: ['bin', 'lib', 'platform', 'data', '.install', 'VERSION'] },
  { root: '.linuxbrew', parts: homebrew },
  { root: '/home/linuxbrew/.linuxbrew', parts: homebrew },
  // Programs that pip installed for this user. Without the variable, Python would search the sandbox's home
  // folder for their packages.
  { root: '.local', parts: ['bin', 'lib/python*'], variable: 'PYTHONUSERBASE', isRequired: true },
];

// Variables of toolchains that are not listed above because they are never in a home folder by default.
const otherVariables = ['JAVA_HOME', 'GOROOT'];

/** The host variables that a sandbox receives if they point to programs that are visible in it. */
export const toolchainVariables: readonly string[] = [
  ...new Set([...toolchains.flatMap(({ variable }) => variable ?? []), ...otherVariables]),
];

/**
 * Folders below the home folder that never become visible because of `PATH`, except for listed parts of a
 * toolchain.
 */
export const privateFolders: readonly string[] = [
  ...['.aws', '.azure', '.cache', '.config', '.docker', '.gem', '.gnupg', '.kube', '.mozilla'],
  ...['.password-store', '.skilled', '.ssh', '.terraform.d', '.local/share/keyrings'],
];
