import assert from 'node:assert/strict';
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createRedactor } from './redact.ts';
import { secretsIn } from './shapes.ts';

// Built from parts, so that no scanner reports these as real secrets.
const redact = createRedactor([]);
const mark = '[redacted]';
const chars = (count: number): string => 'a1B2c3D4'.repeat(20).slice(0, count);
const upper = (count: number): string => 'A2B3C4D5'.repeat(20).slice(0, count);
const hex = (count: number): string => '0a1b2c3d'.repeat(20).slice(0, count);
const token = ['eyJ' + chars(20), 'eyJ' + chars(40), chars(43)].join('.');
const fence = (edge: string, kind: string): string => `-----${edge} ${kind}-----`;
const key = (kind: string, line = '\n'): string =>
  [fence('BEGIN', kind), chars(64), chars(64), chars(12) + '==', fence('END', kind)].join(line);

const tokens = [
  ...['sk-' + chars(48), 'sk-ant-' + 'api03-' + chars(80) + '-AA', 'sk-proj-' + chars(40) + '_' + chars(30)],
  ...['sk-or-v1-' + hex(64), 'sk-lf-' + randomUUID().replace(/.{12}$/, 'a1b2c3d4e5f6')],
  ...['p', 'o', 'u', 's', 'r'].map((kind) => `gh${kind}_` + chars(36)),
  ...['github_pat_' + chars(22) + '_' + chars(59), 'glpat-' + chars(20), 'npm_' + chars(36)],
  ...['a', 'b', 'p', 'r', 's'].map((kind) => `xox${kind}-` + '123456789012-' + chars(24)),
  ...['AKIA' + upper(16), 'ASIA' + upper(16), 'AIza' + chars(35), 'hf_' + chars(34), 'ya29.' + chars(60)],
  ...['SG.' + chars(22) + '.' + chars(43), 'sk_live_' + chars(24), 'rk_live_' + chars(24)],
  ...[
    'whsec_' + chars(30) + '/' + chars(10) + '=',
    'gsk_' + chars(52),
    'pypi-AgE' + chars(80),
    'dop_v1_' + hex(64),
  ],
  ...[
    'hvs.' + chars(24),
    'shpat_' + hex(32),
    'AGE-SECRET-' + 'KEY-1' + upper(58),
    'tskey-' + 'auth-' + chars(30),
  ],
  ...[token, `${token}.${chars(20)}.${chars(22)}`, `eyJ${chars(20)}..${chars(16)}.${chars(30)}.${chars(22)}`],
  ...['PRIVATE KEY', 'RSA PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'PGP PRIVATE KEY BLOCK'].map((kind) =>
    key(kind),
  ),
  ...[key('EC PRIVATE KEY', '\r\n'), key('PRIVATE KEY', '\\n')],
];

test('the tokens of well-known issuers are redacted at every position', () => {
  for (const secret of tokens) {
    for (const [before, after] of [
      ['', ''],
      ['Use ', ' now.'],
      ['KEY="', '"'],
      ['key=', '&a=b'],
      ['(', ').'],
      ['\\n', '\\n'],
      ['%22', '%22'],
      ['\u001b[32m', '\u001b[0m'],
    ] as const) {
      assert.equal(redact(before + secret + after), before + mark + after);
    }
  }
});

test('a private key that was cut off is redacted as far as it goes', () => {
  const whole = key('PRIVATE KEY');
  assert.equal(redact(`${whole.slice(0, 120)}… and so on`), `${mark}… and so on`);
  const prose = `It starts with ${fence('BEGIN', 'PRIVATE KEY')} on a line of its own. Then more.`;
  assert.equal(redact(prose), prose);
  assert.equal(redact(key('PUBLIC KEY')), key('PUBLIC KEY'));
});

test('what introduces a secret stays readable', () => {
  const basic = Buffer.from('me:hunter2').toString('base64');
  for (const [before, secret, after] of [
    ['postgres://me:', 'hunter2', '@db.local:5432/a?b=c'],
    ['redis://:', 'p:w#d?1', '@localhost'],
    ['https://x-access-token:', chars(20), '@github.com/a/b.git'],
    ['{"url":"amqp://me:', 'pw', '@host","mail":"a@b.c"}'],
    ['Authorization: Bearer ', 'my-secret-token', '\nAccept: */*'],
    ['{"authorization":"Bearer ', chars(20), '"}'],
    ["-H 'authorization: token ", chars(20), "'"],
    ['Authorization: Basic ', basic, ''],
    ['Proxy-Authorization: Basic ', basic, '\r\n'],
    ['a basic ', basic, ' header'],
    ['Bearer ', chars(24), ' is sent'],
    ['X-Api-Key: ', chars(20), ''],
    ['aws_secret_access_key = ', chars(40), '\n'],
    ['AccountName=a;AccountKey=', `${chars(86)}==`, ';End'],
    ['https://hooks.slack.com/services/', `T${upper(8)}/B${upper(8)}/${chars(24)}`, ''],
  ] as const) {
    assert.equal(redact(before + secret + after), before + mark + after);
  }
});

test('ordinary text stays as it is', () => {
  const bytes = randomBytes(30_000);
  for (const text of [
    'We use sk-learn, sk-fading-circle-with-a-long-name-2 and task-force-management-with-many-words-2024.',
    'sk-cube-grid-container-element-number-12 and risk-0123456789abcdef0123',
    'basic training, Basic understanding of things, basic functionality, basic: yes',
    'Authorization: Basic training is required. The bearer of good news. Bearer authentication',
    'bearer_token_authentication_scheme_of_2024 and Bearer <token>, Bearer $TOKEN, Authorization: Bearer ${TOKEN}',
    `commit ${hex(40)} and sha256:${hex(64)} and ${randomUUID()}`,
    `sha512-${bytes.subarray(0, 64).toString('base64')}`,
    `data:image/png;base64,${bytes.toString('base64')}`,
    '/usr/lib/node_modules/npm_config_registry/hf_transformers_and_tokenizers_of_the_library/index.js',
    'http://localhost:8080/a@b and https://example.com:443/?q=a:b@c and git@github.com:a/b.git and file:///a:b@c',
    '["http://a.b:80","me@c.d"] postgres://me:${PASSWORD}@db mysql://me:<password>@db a://me:***@db',
    'npm_lifecycle_event=test npm_package_name=x GITHUB_TOKEN= ghp_ xoxb- AKIA eyJ.eyJ.eyJ a.eyJ.b',
    'https://hooks.slack.com/services/ and x-api-key: <key> and session_token: string',
    'AKIDEXAMPLE MAKIAVELLIAN1234567890 AIzawa SG.com SG.1.2',
  ]) {
    assert.equal(redact(text), text);
  }
});

test('the digests of a lock file stay', () => {
  const lines = Array.from({ length: 2000 }, (_, index) => {
    const digest = hash('sha512', String(index), 'base64');
    return `"integrity": "sha512-${digest}", "${hash('sha1', String(index))}"`;
  }).join('\n');
  assert.equal(redact(lines), lines);
});

const value = 'a1B2c3D4e5';

test('variables whose names say so hold secrets', () => {
  for (const name of [
    ...[
      'OPENAI_API_KEY',
      'KEY',
      'GITHUB_TOKEN',
      'npm_token',
      'A_SECRET_B',
      'DB_PASSWORD',
      'X_PASSWD',
      'PGPASSWORD',
    ],
    ...['AWS_CREDENTIALS', 'A_CREDENTIAL', 'PRIVATE_THING', 'BASIC_AUTH', 'AUTH', 'SSH_KEY_PASSPHRASE'],
  ])
    assert.deepEqual(secretsIn({ [name]: ` ${value}\n` }), [value], name);
});

test('other names, paths, numbers, words and short values are not secrets', () => {
  for (const [name, other] of Object.entries({
    KEYBOARD: 'de-latin1-nodeadkeys',
    MONKEY: value,
    GIT_AUTHOR_NAME: 'Anna Example',
    TOKENIZERS_PARALLELISM: 'disabled-now',
    SSH_AUTH_SOCK: '/run/user/1000/keyring/ssh',
    SSL_KEY: '~/certificates/server.key',
    A_KEY: './certificates/server',
    B_KEY: 'certificates/server.pem',
    C_KEY: 'C:\\Users\\me\\server',
    MAX_TOKEN: '1234567890',
    NEXT_KEY: '-1234567.890',
    IS_PRIVATE: 'true',
    NO_KEY: 'undefined',
    SHORT_TOKEN: 'a1B2c3D',
    EMPTY_TOKEN: '',
    AUTH_URL: 'https://login.example.com/start',
  }))
    assert.deepEqual(secretsIn({ [name]: other }), [], name);
  assert.deepEqual(secretsIn({ A_TOKEN: undefined }), []);
});

test('of a URL only the password is a secret, written and meant, whatever the name', () => {
  assert.deepEqual(secretsIn({ DATABASE_URL: 'postgres://me:hunter%2F22@db/a' }), [
    'hunter%2F22',
    'hunter/22',
  ]);
  assert.deepEqual(secretsIn({ REDIS: 'redis://:100%hunter22@db' }), ['100%hunter22']);
  assert.deepEqual(secretsIn({ DATABASE_URL: 'postgres://me@db/a', OTHER_URL: 'http://a:80/b' }), []);
});

test('a secret counts once, and base64 with a slash is not a path', () => {
  const secret = 'abc/def+' + 'a1B2'.repeat(8);
  assert.deepEqual(secretsIn({ A_KEY: secret, B_KEY: secret, C_KEY: '0x' + '0123456789'.repeat(4) }), [
    secret,
    '0x' + '0123456789'.repeat(4),
  ]);
});
