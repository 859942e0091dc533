import { unsafeKeys } from '../core/json.ts';

// Upper case: names are compared without case, so that http_proxy is HTTP_PROXY.
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

/** Whether a name is never set for a skill: loader, interpreter, toolchain, proxy and shell variables, and ours. */
export function isRefusedVariable(name: string): boolean {
  const upper = name.toUpperCase();
  if (!/^[A-Z_][A-Z0-9_]*$/.test(upper) || unsafeKeys.has(name)) return true;
  if (upper.startsWith('NODE_')) return upper !== 'NODE_ENV';
  return names.has(upper) || upper.endsWith('_PROXY') || prefixes.some((prefix) => upper.startsWith(prefix));
}

const secretWords =
  /(?:API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|TOKEN|PASSWORD|PASSWD|PASSPHRASE|SECRET|CREDENTIAL|CREDS|AUTH)S?(?:_|$)/;
const shortWords = /(?:^|_)(?:KEYS?|PASS|PAT|DSN|COOKIE|BEARER)(?:_|$)|_PWD$/;
const counts = /(?:MAX|MIN|NUM|LIMIT|BUDGET|INPUT|OUTPUT|CONTEXT)_(?:\w+_)?TOKENS$/;

/** Whether a name looks like it holds a secret, and therefore must be declared by the skill that gets it. */
export function looksSecret(name: string): boolean {
  const upper = name.toUpperCase();
  return !counts.test(upper) && (secretWords.test(upper) || shortWords.test(upper));
}
