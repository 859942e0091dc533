import type { Issue } from '../core/issue.ts';
import type { Requirements } from '../core/skill.ts';
import { resolveSetting, type SettingValue, type SkillEntry, type World } from './eligibility.ts';

/** The variables that a child process inherits from the host; everything else must be granted. */
export const inheritedVariables: readonly string[] = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TERM', 'COLORTERM', 'TZ', 'TMPDIR', 'TEMP', 'TMP'],
  ...['NO_COLOR', 'FORCE_COLOR', 'COLUMNS', 'LINES', 'SYSTEMROOT', 'COMSPEC', 'PATHEXT', 'WINDIR'],
];

const refusedNames = new Set([
  ...['PATH', 'HOME', 'USER', 'SHELL', 'IFS', 'CDPATH', 'ENV', 'BASH_ENV', 'BASHOPTS', 'SHELLOPTS', 'PS4', 'PROMPT_COMMAND', 'ZDOTDIR'],
  ...['NODE_OPTIONS', 'NODE_PATH', 'NODE_EXTRA_CA_CERTS', 'NODE_TLS_REJECT_UNAUTHORIZED', 'DENO_DIR', 'BUN_INSTALL'],
  ...['PYTHONPATH', 'PYTHONHOME', 'PYTHONSTARTUP', 'PYTHONINSPECT', 'PYTHONUSERBASE', 'PERL5LIB', 'PERL5OPT', 'PERLLIB', 'RUBYOPT', 'RUBYLIB'],
  ...['GEM_HOME', 'GEM_PATH', 'JAVA_TOOL_OPTIONS', '_JAVA_OPTIONS', 'JDK_JAVA_OPTIONS', 'CLASSPATH', 'LUA_PATH', 'LUA_CPATH', 'PHPRC', 'R_PROFILE'],
  ...['GOFLAGS', 'GOPROXY', 'GOENV', 'RUSTFLAGS', 'RUSTC_WRAPPER', 'CC', 'CXX', 'CFLAGS', 'LDFLAGS', 'MAKEFLAGS', 'CMAKE_TOOLCHAIN_FILE'],
  ...['GIT_SSH', 'GIT_SSH_COMMAND', 'GIT_EXEC_PATH', 'GIT_ASKPASS', 'GIT_EDITOR', 'GIT_PAGER', 'GIT_EXTERNAL_DIFF', 'GIT_DIR', 'GIT_TEMPLATE_DIR'],
  ...['EDITOR', 'VISUAL', 'PAGER', 'BROWSER', 'SSH_ASKPASS', 'SSH_AUTH_SOCK', 'SUDO_ASKPASS', 'DOCKER_HOST', 'KUBECONFIG'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'FTP_PROXY', 'NO_PROXY', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'CURL_CA_BUNDLE', 'REQUESTS_CA_BUNDLE'],
  ...['GCONV_PATH', 'LOCPATH', 'NLSPATH', 'HOSTALIASES', 'RES_OPTIONS', 'TERMINFO', 'TERMCAP', 'OPENSSL_CONF', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME'],
]);
const refusedPrefixes = /^(?:LD_|DYLD_|BASH_FUNC_|GIT_CONFIG|NPM_CONFIG_|PIP_|UV_|CARGO_|MALLOC_|GLIBC_|ASAN_OPTIONS|SKILLED_)/;
const secretLooking = /(?:API_?KEY|ACCESS_?KEY|TOKEN|PASSWORD|PASSWD|PASSPHRASE|SECRET|PRIVATE_?KEY|CREDENTIALS?|AUTH)(?:_|$)/;

/** Whether a name is never set for a skill: loader, interpreter, toolchain, proxy and shell variables. */
export function isRefusedVariable(name: string): boolean {
  const upper = name.toUpperCase();
  return !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || refusedNames.has(upper) || refusedPrefixes.test(upper);
}

/** Whether a name looks like it holds a secret, and therefore must be declared by the skill that gets it. */
export function looksSecret(name: string): boolean {
  return secretLooking.test(name.toUpperCase());
}

/** The allowlisted part of the host's environment. */
export function baseEnvironment(environment: World['environment']): Readonly<Record<string, string>> {
  const wanted = new Set(inheritedVariables);
  const pairs = Object.entries(environment).filter(([name]) => wanted.has(name) || name.startsWith('LC_'));
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** The variables that settings give to one skill's own child processes, and what was refused on the way. */
export function overlayOf(
  requires: Requirements | undefined,
  entry: SkillEntry | undefined,
  environment: World['environment'],
): { readonly variables: Readonly<Record<string, string>>; readonly issues: readonly Issue[] } {
  const variables: Record<string, string> = {};
  const issues: Issue[] = [];
  const declared = new Set([...(requires?.env ?? []), ...(requires?.primaryEnv === undefined ? [] : [requires.primaryEnv])]);
  const wanted: [string, SettingValue | undefined][] = Object.entries(entry?.env ?? {});
  if (requires?.primaryEnv !== undefined && entry?.apiKey !== undefined) wanted.push([requires.primaryEnv, entry.apiKey]);
  for (const [name, value] of wanted) {
    const fault = faultOf(name, value, declared);
    if (fault !== undefined) {
      issues.push({ level: 'warning', code: 'environment.refused', message: `${name} is not set for the skill: ${fault}.` });
      continue;
    }
    const text = resolveSetting(value, environment);
    if (text !== undefined && !text.includes('\0')) variables[name] = text;
  }
  return { variables, issues };
}

function faultOf(name: string, value: SettingValue | undefined, declared: ReadonlySet<string>): string | undefined {
  if (isRefusedVariable(name)) return 'variables that steer programs or the network are never overridden';
  if (!looksSecret(name)) return undefined;
  if (!declared.has(name)) return 'it looks like a secret and the skill does not declare it';
  return typeof value === 'string' ? 'a secret is given by the name of its variable, as {"env": "NAME"}' : undefined;
}
