import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { isAgentError } from '../../core/index.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { createAuthenticator } from './authenticate.ts';
import { createKeyStore } from './key-store.ts';
import { createTokenVerifier, type OidcOptions } from './oidc.ts';

let server: Server;
let issuer = '';
let keys: readonly JWK[] = [];
let reads = 0;
let isDown = false;
const pairs = new Map<string, CryptoKey>();

before(async () => {
  const published: JWK[] = [];
  for (const [kid, alg] of [
    ['rsa', 'RS256'],
    ['ec', 'ES256'],
    ['other', 'ES256'],
  ] as const) {
    const { publicKey, privateKey } = await generateKeyPair(alg);
    pairs.set(kid, privateKey);
    if (kid !== 'other') published.push({ ...(await exportJWK(publicKey)), kid });
  }
  keys = published;
  server = createServer((request, response) => {
    response.statusCode = isDown ? 500 : 200;
    const isKeys = request.url === '/keys';
    if (isKeys) reads += 1;
    response.end(JSON.stringify(isKeys ? { keys } : { issuer, jwks_uri: `${issuer}/keys` }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

after(() => server.close());

interface Token {
  readonly claims?: Record<string, unknown>;
  readonly kid?: string;
  readonly signedBy?: string;
  readonly alg?: string;
  readonly issuer?: string;
  readonly audience?: string | string[];
  readonly expires?: string | number | undefined;
}

function token(made: Token = {}): Promise<string> {
  const { claims = {}, kid = 'ec', signedBy = kid, alg = kid === 'rsa' ? 'RS256' : 'ES256' } = made;
  const jwt = new SignJWT({ sub: 'u-7', roles: ['editor'], scope: 'runs:read openid', ...claims })
    .setProtectedHeader({ alg, kid })
    .setIssuer(made.issuer ?? issuer)
    .setAudience(made.audience ?? 'skilled');
  if (!('expires' in made)) jwt.setExpirationTime('5m');
  else if (made.expires !== undefined) jwt.setExpirationTime(made.expires);
  return jwt.sign(pairs.get(signedBy) as CryptoKey);
}

function open(more: Partial<OidcOptions> = {}) {
  const tokens = createTokenVerifier({ issuer, audience: 'skilled', jwksUrl: `${issuer}/keys`, ...more });
  const authenticator = createAuthenticator({ keys: createKeyStore(createMemoryStore()), tokens });
  return async (text: string) => {
    const answer = await authenticator.authenticate(new Headers({ authorization: `Bearer ${text}` }));
    if (isAgentError(answer)) return answer.code;
    return { user: answer.user, roles: answer.roles, scopes: [...answer.scopes], key: answer.keyId };
  };
}

test('a token of the provider gives its user, roles and scopes', async () => {
  const principal = { user: 'u-7', roles: ['editor'], scopes: ['runs:read'], key: 'oidc:u-7' };
  const ask = open();
  assert.deepEqual(await ask(await token()), principal);
  assert.deepEqual(await ask(await token({ kid: 'rsa', audience: ['other', 'skilled'] })), principal);
  const discovers = createTokenVerifier({ issuer, audience: ['skilled'] });
  const found = await discovers.verify(await token());
  assert.ok(!isAgentError(found) && found.user === 'u-7');
});

test('claims are mapped by the settings', async () => {
  const ask = open({
    claims: { user: 'email', roles: 'realm.roles', scopes: 'https://example.org/scopes' },
    scopes: ['skills:read'],
    roleScopes: { boss: ['admin'] },
  });
  const claims = {
    email: 'a@example.org',
    realm: { roles: ['boss', 7, ''] },
    'https://example.org/scopes': ['runs:write', 'nonsense'],
  };
  assert.deepEqual(await ask(await token({ claims })), {
    user: 'a@example.org',
    roles: ['boss'],
    scopes: ['skills:read', 'runs:write', 'admin'],
    key: 'oidc:a@example.org',
  });
  for (const roles of ['constructor', '__proto__'])
    assert.notEqual(
      await ask(await token({ claims: { ...claims, realm: { roles } } })),
      'policy.unauthenticated',
    );
});

test('a token that is expired, forged, or for somebody else is refused', async () => {
  const ask = open();
  const unsigned = `${[{ alg: 'none' }, { sub: 'u-7', iss: issuer, aud: 'skilled', exp: 9e9 }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')}.`;
  const [head = '', body = '', signature = ''] = (await token()).split('.');
  const changed = Buffer.from(body, 'base64url').toString().replace('u-7', 'u-8');
  const publicText = JSON.stringify(keys[0]);
  const confused = await new SignJWT({ sub: 'u-7' })
    .setProtectedHeader({ alg: 'HS256', kid: 'ec' })
    .setIssuer(issuer)
    .setAudience('skilled')
    .setExpirationTime('5m')
    .sign(new TextEncoder().encode(publicText));
  const refused: Readonly<Record<string, string>> = {
    expired: await token({ expires: '5m ago' }),
    'without an end': await token({ expires: undefined }),
    'of another issuer': await token({ issuer: 'https://other.example.org' }),
    'for another program': await token({ audience: 'other' }),
    'signed by an unknown key': await token({ signedBy: 'other' }),
    'of an unknown key': await token({ kid: 'other' }),
    unsigned,
    changed: [head, Buffer.from(changed).toString('base64url'), signature].join('.'),
    'signed with the public key': confused,
    'without a user': await token({ claims: { sub: '' } }),
    'with a number as user': await token({ claims: { sub: 7 } }),
    'with too many roles': await token({ claims: { roles: Array.from({ length: 101 }, (_, i) => `r${i}`) } }),
    empty: '..',
  };
  for (const [name, text] of Object.entries(refused))
    assert.equal(await ask(text), 'policy.unauthenticated', name);
});

test('an algorithm that is not on the list is refused', async () => {
  assert.equal(await open({ algorithms: ['RS256'] })(await token()), 'policy.unauthenticated');
});

test('a flood of tokens with unknown keys does not flood the provider', async () => {
  const ask = open();
  await ask(await token());
  reads = 0;
  const unknown = await token({ kid: 'other' });
  await Promise.all(Array.from({ length: 50 }, () => ask(unknown)));
  assert.ok(reads <= 1, `${reads} reads`);
});

test('a provider that fails is not a refusal, and is asked again', async () => {
  const ask = open();
  isDown = true;
  assert.equal(await ask(await token()), 'server.unreachable');
  isDown = false;
  assert.ok(typeof (await ask(await token())) === 'object');
});

test('unsafe options are refused', () => {
  for (const more of [
    { issuer: 'http://login.example.org' },
    { jwksUrl: 'http://login.example.org/keys' },
    { audience: '' },
    { audience: [] },
    { algorithms: ['HS256'] },
    { algorithms: ['none'] },
    { algorithms: [] },
  ])
    assert.throws(
      () => open(more),
      (thrown) => isAgentError(thrown) && thrown.code === 'usage.bad-settings',
      JSON.stringify(more),
    );
});

test('without a provider, a token is an unknown key', async () => {
  const authenticator = createAuthenticator({ keys: createKeyStore(createMemoryStore()) });
  const answer = await authenticator.authenticate(new Headers({ authorization: `Bearer ${await token()}` }));
  assert.ok(isAgentError(answer) && answer.code === 'policy.unauthenticated');
});
