import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secretsIn } from './secrets-in.ts';

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

test('other names, paths, numbers, words and short values are no secrets', () => {
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

test('a secret counts once, and base64 with a slash is no path', () => {
  const secret = 'abc/def+' + 'a1B2'.repeat(8);
  assert.deepEqual(secretsIn({ A_KEY: secret, B_KEY: secret, C_KEY: '0x' + '0123456789'.repeat(4) }), [
    secret,
    '0x' + '0123456789'.repeat(4),
  ]);
});
