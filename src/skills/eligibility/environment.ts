import { unsafeKeys, type Issue, type Requirements, type SettingValue } from '../../core/index.ts';
import type { SkillEntry } from './skill-settings.ts';

/** The environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that a child process inherits from the host. All others must be granted. */
export const inheritedVariables: readonly string[] = [
  ...[
    'PATH',
    'HOME',
    'USER',
    'LOGNAME',
    'SHELL',
    'LANG',
    'LANGUAGE',
    'TERM',
    'COLORTERM',
    'TZ',
    'TMPDIR',
    'TEMP',
    'TMP',
  ],
  ...['NO_COLOR', 'FORCE_COLOR', 'COLUMNS', 'LINES', 'SYSTEMROOT', 'COMSPEC', 'PATHEXT', 'WINDIR'],
];

/** Returns the variables of the host that every child process inherits. */
export function baseEnvironment(environment: Environment): Readonly<Record<string, string>> {
  const inherited = new Set(inheritedVariables);
  const pairs = Object.entries(environment).filter(([name]) => inherited.has(name) || name.startsWith('LC_'));
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** Returns the value of an environment variable. A blank value is treated as unset. */
export function variable(environment: Environment, name: string): string | undefined {
  const text = Object.hasOwn(environment, name) ? environment[name] : undefined;
  return text === undefined || text.trim() === '' ? undefined : text;
}

/**
 * Returns the value of a setting, or of the environment variable that the setting names. A blank value is
 * treated as unset.
 */
export function resolveSetting(value: SettingValue, environment: Environment): string | undefined {
  if (typeof value === 'object') return variable(environment, value.env);
  return value.trim() === '' ? undefined : value;
}

/**
 * An environment variable that the settings provide for a skill, and the reason if the variable is refused.
 */
interface Grant {
  readonly name: string;
  readonly value: SettingValue;
  readonly refused?: string;
}

/**
 * Returns the environment variables that the settings provide for a skill: those in `env`, and the value of
 * `apiKey` under the name that `primaryEnv` declares.
 */
export function grantsOf(
  requires: Requirements | undefined,
  entry: SkillEntry | undefined,
): readonly Grant[] {
  const { env = {}, apiKey } = entry ?? {};
  const primary = requires?.primaryEnv;
  const declared = new Set([...(requires?.env ?? []), primary]);
  const grants = Object.entries(env).map(([name, value]) =>
    grant(name, value, faultOf(name, value, looksSecret(name), declared)),
  );
  if (apiKey === undefined) return grants;
  if (primary === undefined) return [...grants, grant('apiKey', apiKey, 'the skill declares no primaryEnv')];
  if (Object.hasOwn(env, primary)) return grants;
  return [...grants, grant(primary, apiKey, faultOf(primary, apiKey, true, declared))];
}

/**
 * Returns the environment variables from the settings for a skill's own processes. Reports an issue for each
 * refused variable.
 */
export function overlayOf(
  requires: Requirements | undefined,
  entry: SkillEntry | undefined,
  environment: Environment,
): { readonly variables: Readonly<Record<string, string>>; readonly issues: readonly Issue[] } {
  const variables = new Map<string, string>();
  const issues: Issue[] = [];
  for (const { name, value, refused } of grantsOf(requires, entry)) {
    const text = resolveSetting(value, environment);
    const fault =
      refused ?? (text?.includes('\0') === true ? 'its value contains a NUL character' : undefined);
    if (fault !== undefined) issues.push(refusal(name, fault));
    else if (text !== undefined) variables.set(name, text);
  }
  return { variables: Object.fromEntries(variables), issues };
}

function grant(name: string, value: SettingValue, refused: string | undefined): Grant {
  return refused === undefined ? { name, value } : { name, value, refused };
}

function faultOf(
  name: string,
  value: SettingValue,
  isSecret: boolean,
  declared: ReadonlySet<string | undefined>,
): string | undefined {
  if (isRefusedVariable(name)) return 'variables that control programs or the network are never overridden';
  if (!isSecret) return undefined;
  if (!declared.has(name)) return 'it looks like a secret but the skill does not declare it';
  return typeof value === 'string'
    ? 'a secret must name its environment variable, as {"env": "NAME"}'
    : undefined;
}

function refusal(name: string, fault: string): Issue {
  return {
    level: 'warning',
    code: 'environment.refused',
    message: `${name} is not set for the skill: ${fault}.`,
  };
}

// All names are in upper case, because the comparison ignores case.
const shell =
  'PATH HOME USER LOGNAME SHELL PWD OLDPWD IFS CDPATH FPATH ENV ZDOTDIR PS0 PS1 PS2 PS3 PS4 INPUTRC HISTFILE';
const shellHooks =
  'BASH_ENV BASHOPTS SHELLOPTS BASH_XTRACEFD PROMPT_COMMAND GLOBIGNORE EXECIGNORE TMPDIR TMP TEMP';
const windows = 'PATHEXT COMSPEC SYSTEMROOT WINDIR PSMODULEPATH';
const loader =
  'GCONV_PATH LOCPATH NLSPATH TERMINFO TERMINFO_DIRS TERMCAP TZDIR GTK_MODULES GTK_PATH QT_PLUGIN_PATH';
const interpreters =
  'RUBYOPT RUBYLIB RUBYSHELL CLASSPATH PHPRC PHP_INI_SCAN_DIR TCLLIBPATH GUILE_LOAD_PATH AWKPATH VIMINIT EXINIT';
const virtualMachines =
  '_JAVA_OPTIONS MAVEN_OPTS GRADLE_OPTS SBT_OPTS ANT_OPTS ELIXIR_ERL_OPTIONS ELECTRON_RUN_AS_NODE';
const go = 'GOFLAGS GOPROXY GOENV GOROOT GOPATH GOBIN GOTOOLCHAIN GOSUMDB GONOSUMDB GOINSECURE GOPRIVATE';
const compilers =
  'CC CXX CPP LD AR AS CFLAGS CXXFLAGS CPPFLAGS LDFLAGS CPATH LIBRARY_PATH COMPILER_PATH GCC_EXEC_PREFIX';
const builders =
  'BUNDLE_GEMFILE BUNDLE_PATH BUNDLE_BIN C_INCLUDE_PATH CPLUS_INCLUDE_PATH MAKE MAKEFLAGS MFLAGS RUSTC RUSTDOC RUSTFLAGS RUSTC_WRAPPER VIRTUAL_ENV';
const git =
  'GIT_EXEC_PATH GIT_ASKPASS GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_EXTERNAL_DIFF GIT_DIR GIT_WORK_TREE';
const gitFiles =
  'GIT_INDEX_FILE GIT_COMMON_DIR GIT_NAMESPACE GIT_TEMPLATE_DIR GIT_OBJECT_DIRECTORY GIT_ALLOW_PROTOCOL';
const launched =
  'EDITOR VISUAL PAGER MANPAGER LESS LESSOPEN LESSCLOSE BROWSER GH_PAGER GH_EDITOR SSH_ASKPASS SUDO_ASKPASS';
const network =
  'SSH_AUTH_SOCK HOSTALIASES RES_OPTIONS LOCALDOMAIN RESOLV_HOST_CONF CURL_HOME WGETRC NETRC SSLKEYLOGFILE';
const certificates = 'CURL_CA_BUNDLE REQUESTS_CA_BUNDLE AWS_CA_BUNDLE';
const accounts =
  'KUBECONFIG DOCKER_HOST DOCKER_CONFIG DOCKER_CONTEXT DOCKER_CERT_PATH AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE';

const names = new Set(
  [
    ...[shell, shellHooks, windows, loader, interpreters, virtualMachines, go, compilers, builders],
    ...[git, gitFiles, launched, network, certificates, accounts],
  ].flatMap((list) => list.split(' ')),
);

const prefixes = [
  ...[
    'LD_',
    'DYLD_',
    'MALLOC_',
    'GLIBC_',
    'ASAN_',
    'LSAN_',
    'TSAN_',
    'UBSAN_',
    'BASH_FUNC_',
    'XDG_',
    'SKILLED_',
  ],
  ...[
    'PYTHON',
    'PERL5',
    'PERLLIB',
    'LUA_',
    'JAVA_',
    'JDK_',
    'DOTNET_',
    'CORECLR_',
    'COMPLUS_',
    'ERL_',
    'JULIA_',
    'R_',
  ],
  ...['DENO_', 'BUN_', 'TS_NODE_', 'NPM_CONFIG_', 'YARN_', 'COREPACK_', 'PIP_', 'UV_', 'CONDA_', 'GEM_'],
  ...[
    'CARGO_',
    'RUSTUP_',
    'CGO_',
    'PKG_CONFIG',
    'CMAKE_',
    'GIT_CONFIG',
    'GIT_SSH',
    'GIT_SSL_',
    'GIT_HTTP_',
    'GIT_PROXY',
  ],
  ...['GIT_ALTERNATE_', 'OPENSSL_', 'SSL_CERT_', 'TF_CLI_', 'TF_PLUGIN_', 'TF_VAR_'],
];

/**
 * Whether an environment variable must never be set for a skill. This is true of variables that control
 * loaders, interpreters, toolchains, proxies, shells or this package.
 */
export function isRefusedVariable(name: string): boolean {
  const upper = name.toUpperCase();
  if (!/^[A-Z_][A-Z0-9_]*$/.test(upper) || unsafeKeys.has(name)) return true;
  if (upper.startsWith('NODE_')) return upper !== 'NODE_ENV';
  return names.has(upper) || upper.endsWith('_PROXY') || prefixes.some((prefix) => upper.startsWith(prefix));
}

const secretPattern =
  /(?:API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|TOKEN|PASSWORD|PASSWD|PASSPHRASE|SECRET|CREDENTIAL|CREDS|AUTH)S?(?:_|$)/;
const shortSecretPattern = /(?:^|_)(?:KEYS?|PASS|PAT|DSN|COOKIE|BEARER)(?:_|$)|_PWD$/;
const counts = /(?:MAX|MIN|NUM|LIMIT|BUDGET|INPUT|OUTPUT|CONTEXT)_(?:\w+_)?TOKENS$/;

/** Whether the name of a variable suggests a secret. A skill receives only secrets that it declares. */
export function looksSecret(name: string): boolean {
  const upper = name.toUpperCase();
  return !counts.test(upper) && (secretPattern.test(upper) || shortSecretPattern.test(upper));
}
