import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Requirements } from '../../core/skill.ts';
import { baseEnvironment, isRefusedVariable, looksSecret, overlayOf, resolveSetting } from './environment.ts';
import type { SkillEntry } from './skill-settings.ts';

function overlay(
  entry: SkillEntry,
  requires: Requirements = {},
  environment: Record<string, string> = {},
): unknown {
  const { variables, issues } = overlayOf(requires, entry, environment);
  return issues.length === 0
    ? variables
    : { ...variables, refused: issues.map(({ message }) => message.split(' ', 1)[0]) };
}

describe('the base environment', () => {
  test('is a list of what may pass, so that a planted secret does not', () => {
    const host = {
      PATH: '/bin',
      HOME: '/h',
      LANG: 'C',
      LC_ALL: 'C',
      TERM: 'x',
      TZ: 'UTC',
      TMPDIR: '/t',
      AWS_SECRET_ACCESS_KEY: 's',
      GITHUB_TOKEN: 's',
      MY_THING: 's',
      NODE_OPTIONS: '--x',
      LD_PRELOAD: 'x',
      HTTP_PROXY: 'x',
    };
    assert.deepEqual(Object.keys(baseEnvironment(host)).sort(), [
      'HOME',
      'LANG',
      'LC_ALL',
      'PATH',
      'TERM',
      'TMPDIR',
      'TZ',
    ]);
  });

  test('leaves out what is not set', () => {
    assert.deepEqual(baseEnvironment({ PATH: undefined, HOME: '/h' }), { HOME: '/h' });
  });
});

describe('refused variables', () => {
  const refused = [
    ...['PATH', 'HOME', 'SHELL', 'IFS', 'BASH_ENV', 'ENV', 'PS4', 'PROMPT_COMMAND', 'TMPDIR', 'SHELLOPTS'],
    ...['LD_PRELOAD', 'LD_LIBRARY_PATH', 'DYLD_INSERT_LIBRARIES', 'GCONV_PATH', 'MALLOC_CHECK_'],
    ...[
      'NODE_OPTIONS',
      'NODE_PATH',
      'NODE_TLS_REJECT_UNAUTHORIZED',
      'PYTHONPATH',
      'PYTHONSTARTUP',
      'PYTHONBREAKPOINT',
    ],
    ...[
      'PERL5LIB',
      'PERL5OPT',
      'RUBYOPT',
      'LUA_INIT',
      'JAVA_TOOL_OPTIONS',
      '_JAVA_OPTIONS',
      'DOTNET_STARTUP_HOOKS',
      'CLASSPATH',
    ],
    ...[
      'CC',
      'CFLAGS',
      'MAKEFLAGS',
      'RUSTC_WRAPPER',
      'CARGO_HOME',
      'GOFLAGS',
      'GOPROXY',
      'npm_config_registry',
      'PIP_INDEX_URL',
    ],
    ...[
      'GIT_SSH_COMMAND',
      'GIT_CONFIG_COUNT',
      'GIT_EXEC_PATH',
      'GIT_DIR',
      'GIT_SSL_NO_VERIFY',
      'EDITOR',
      'PAGER',
      'LESSOPEN',
    ],
    ...[
      'HTTP_PROXY',
      'https_proxy',
      'ALL_PROXY',
      'NO_PROXY',
      'SSL_CERT_FILE',
      'OPENSSL_CONF',
      'CURL_CA_BUNDLE',
      'SSH_AUTH_SOCK',
    ],
    ...[
      'XDG_CONFIG_HOME',
      'KUBECONFIG',
      'DOCKER_HOST',
      'AWS_CONFIG_FILE',
      'TF_VAR_x',
      'SKILLED_SKILL_DIR',
      'skilled_run_id',
    ],
    ...['', '1X', 'A-B', 'A B', 'A=B', 'A\0', 'Ä', '__proto__', 'constructor', 'prototype', 'BASH_FUNC_x%%'],
  ];
  for (const name of refused)
    test(`${JSON.stringify(name)} is`, () => assert.equal(isRefusedVariable(name), true));

  const allowed = [
    'SERVICE_URL',
    'API_KEY',
    'OPENAI_API_KEY',
    'NODE_ENV',
    'GIT_AUTHOR_NAME',
    'BUNDLE_ID',
    'NPM_TOKEN',
    '_x',
    'lower',
  ];
  for (const name of allowed) test(`${name} is not`, () => assert.equal(isRefusedVariable(name), false));
});

describe('names that look like a secret', () => {
  const secret = [
    ...[
      'API_KEY',
      'OPENAI_API_KEY',
      'APIKEY',
      'MYTOKEN',
      'GH_TOKEN',
      'DB_PASSWORD',
      'PGPASSWORD',
      'CLIENT_SECRET',
      'aws_secret',
    ],
    ...[
      'PRIVATE_KEY',
      'SSH_PRIVATEKEY_FILE',
      'GOOGLE_APPLICATION_CREDENTIALS',
      'X_AUTH',
      'OPENAI_KEY',
      'DB_PASS',
      'SENTRY_DSN',
      'DB_PWD',
    ],
    ...['GITHUB_PAT', 'API_KEYS', 'SLACK_TOKENS', 'AWS_ACCESS_KEY_ID'],
  ];
  for (const name of secret) test(`${name} does`, () => assert.equal(looksSecret(name), true));

  const plain = [
    'SERVICE_URL',
    'MAX_TOKENS',
    'MAX_OUTPUT_TOKENS',
    'KEYBOARD',
    'AUTHOR',
    'GIT_AUTHOR_NAME',
    'PATTERN',
    'COMPASS',
    'REGION',
  ];
  for (const name of plain) test(`${name} does not`, () => assert.equal(looksSecret(name), false));
});

describe('the overlay of a skill', () => {
  test('is what its settings entry gives', () => {
    assert.deepEqual(
      overlay({ env: { SERVICE_URL: 'http://x', REGION: { env: 'MINE' } } }, {}, { MINE: 'eu' }),
      {
        SERVICE_URL: 'http://x',
        REGION: 'eu',
      },
    );
    assert.deepEqual(overlayOf(undefined, undefined, { X: '1' }), { variables: {}, issues: [] });
  });

  test('blank values and variables that are not set give nothing', () => {
    assert.deepEqual(
      overlay({ env: { A: ' ', B: { env: 'BLANK' }, C: { env: 'UNSET' } } }, {}, { BLANK: '\t' }),
      {},
    );
  });

  test('a secret must be declared by the skill and given by reference', () => {
    const reference = { env: { OTHER_TOKEN: { env: 'MINE' } } };
    assert.deepEqual(overlay(reference, {}, { MINE: 's' }), { refused: ['OTHER_TOKEN'] });
    assert.deepEqual(overlay(reference, { env: ['OTHER_TOKEN'] }, { MINE: 's' }), { OTHER_TOKEN: 's' });
    assert.deepEqual(overlay(reference, { primaryEnv: 'OTHER_TOKEN' }, { MINE: 's' }), { OTHER_TOKEN: 's' });
    assert.deepEqual(overlay({ env: { OTHER_TOKEN: 'sk-1' } }, { env: ['OTHER_TOKEN'] }), {
      refused: ['OTHER_TOKEN'],
    });
  });

  test('apiKey becomes the variable that the skill names, by reference only', () => {
    const entry = { apiKey: { env: 'MINE' } };
    assert.deepEqual(overlay(entry, { primaryEnv: 'OPENAI_API_KEY' }, { MINE: 's' }), {
      OPENAI_API_KEY: 's',
    });
    assert.deepEqual(overlay({ apiKey: 'sk-1' }, { primaryEnv: 'SERVICE' }), { refused: ['SERVICE'] });
    assert.deepEqual(overlay(entry, {}, { MINE: 's' }), { refused: ['apiKey'] });
    assert.deepEqual(overlay(entry, { primaryEnv: 'NODE_OPTIONS' }, { MINE: 's' }), {
      refused: ['NODE_OPTIONS'],
    });
  });

  test('env goes before apiKey', () => {
    const entry = { env: { KEY: { env: 'FIRST' } }, apiKey: { env: 'SECOND' } };
    assert.deepEqual(overlay(entry, { primaryEnv: 'KEY' }, { FIRST: '1', SECOND: '2' }), { KEY: '1' });
  });

  test('what steers programs is refused even when declared', () => {
    const env = { LD_PRELOAD: '/x.so', http_proxy: 'http://evil', PATH: '/evil', GOOD: 'x' };
    assert.deepEqual(overlay({ env }, { env: Object.keys(env) }), {
      GOOD: 'x',
      refused: ['LD_PRELOAD', 'http_proxy', 'PATH'],
    });
  });

  test('a value with a NUL character is refused', () => {
    assert.deepEqual(overlay({ env: { A: 'x\0y' } }), { refused: ['A'] });
  });

  test('no finding tells a value', () => {
    const entry = { env: { X_TOKEN: 'sk-secret-1', LD_PRELOAD: 'sk-secret-2' }, apiKey: 'sk-secret-3' };
    const { issues } = overlayOf({ primaryEnv: 'KEY' }, entry, {});
    assert.equal(issues.length, 3);
    assert.doesNotMatch(JSON.stringify(issues), /sk-secret/);
  });

  test('names on the prototype reach nothing', () => {
    const env = JSON.parse('{"__proto__": "x", "constructor": "y"}') as Record<string, string>;
    const { variables } = overlayOf(undefined, { env }, {});
    assert.deepEqual(variables, {});
    assert.equal(resolveSetting({ env: 'toString' }, {}), undefined);
  });

  test('the host environment stays as it is', () => {
    const before = { ...process.env };
    overlayOf({ env: ['SKILL_X'] }, { env: { SKILL_X: 'x' } }, process.env);
    baseEnvironment(process.env);
    assert.deepEqual({ ...process.env }, before);
  });
});
