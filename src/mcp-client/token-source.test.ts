import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { serveOdd, serveWeb, type WebServer } from '../../test/support/odd-http-server.ts';
import { callText, open, unhurried } from '../../test/support/tool-server-stage.ts';
import type { ServerEndpoint } from '../core/servers/tool-server.ts';

type OAuth = NonNullable<Extract<ServerEndpoint, { kind: 'http' }>['oauth']>;
/** OAuth settings for the default token server, unless they name another issuer. */
type Client = Omit<OAuth, 'issuer'> & Partial<Pick<OAuth, 'issuer'>>;

interface Asked {
  readonly grant: string | null;
  readonly refreshToken: string | null;
  readonly scope: string | null;
  readonly authorization: string | null;
  readonly key: string | null;
}

/** Starts an authorization server that accepts the secret `s3cret`, and each refresh token once. */
async function serveTokens(): Promise<WebServer & { readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  let refresh = 'refresh-1';
  const web: WebServer = await serveWeb(async (request) => {
    const { origin, pathname } = new URL(request.url);
    if (pathname === '/.well-known/oauth-authorization-server') {
      return Response.json({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        response_types_supported: ['code'],
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'none'],
      });
    }
    if (pathname !== '/token') return new Response('', { status: 404 });
    const form = new URLSearchParams(await request.text());
    const authorization = request.headers.get('authorization');
    asked.push({
      grant: form.get('grant_type'),
      refreshToken: form.get('refresh_token'),
      scope: form.get('scope'),
      authorization,
      key: request.headers.get('x-key'),
    });
    const isRight = form.has('refresh_token')
      ? form.get('refresh_token') === refresh
      : authorization === `Basic ${btoa('me:s3cret')}`;
    if (!isRight) return Response.json({ error: 'invalid_grant', error_description: 'no' }, { status: 400 });
    refresh = `refresh-${asked.length + 1}`;
    return Response.json({
      access_token: `token-${asked.length}`,
      token_type: 'Bearer',
      expires_in: 60,
      ...(form.has('refresh_token') ? { refresh_token: refresh } : {}),
    });
  });
  return { ...web, asked };
}

/** Starts a server that accepts exactly one token, and names the server that issues it. */
function serveProtected(tokens: WebServer, expectedToken: () => string): ReturnType<typeof serveOdd> {
  return serveOdd((request) => {
    const { origin, pathname } = new URL(request.url);
    if (pathname.startsWith('/.well-known/oauth-protected-resource')) {
      return Response.json({ resource: `${origin}/mcp`, authorization_servers: [tokens.origin] });
    }
    if (request.headers.get('authorization') === `Bearer ${expectedToken()}`) return undefined;
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
    const headers = { 'www-authenticate': `Bearer resource_metadata="${metadata}"` };
    return new Response('', { status: 401, headers });
  });
}

const at = (url: string, oauth: OAuth): ServerEndpoint => ({
  kind: 'http',
  name: 'web',
  timeoutMs: 60_000,
  headers: { 'x-key': 'for the server only' },
  url,
  oauth,
});

const tokensOf = ({ origin }: WebServer): Pick<OAuth, 'clientId' | 'issuer'> => ({
  clientId: 'me',
  issuer: origin,
});

describe('a server that wants a token', () => {
  test('gets one for the credentials of the client; its headers go to no one else', async () => {
    await using tokens = await serveTokens();
    await using web = await serveProtected(tokens, () => 'token-1');
    await using server = open(at(web.url, { ...tokensOf(tokens), clientSecret: 's3cret', scope: 'read' }));
    assert.match(await callText(server, 'plain', { in: 1 }), /"in":1/);
    const authorization = `Basic ${btoa('me:s3cret')}`;
    assert.deepEqual(tokens.asked, [
      { grant: 'client_credentials', refreshToken: null, scope: 'read', authorization, key: null },
    ]);
  });

  test('gets another one when the first is no longer taken, by the refresh token that came with it', async () => {
    await using tokens = await serveTokens();
    let expectedToken = 'token-1';
    await using web = await serveProtected(tokens, () => expectedToken);
    await using server = open(at(web.url, { ...tokensOf(tokens), refreshToken: 'refresh-1' }));
    assert.match(await callText(server, 'plain', { in: 1 }), /"in":1/);
    expectedToken = 'token-2';
    assert.match(await callText(server, 'plain', { in: 2 }), /"in":2/);
    assert.deepEqual(
      tokens.asked.map(({ grant, refreshToken }) => [grant, refreshToken]),
      [
        ['refresh_token', 'refresh-1'],
        ['refresh_token', 'refresh-2'],
      ],
    );
  });

  test('does not get it into what we keep by telling it', async () => {
    await using tokens = await serveTokens();
    let isRefused = false;
    await using web = await serveOdd((request) => {
      const { origin, pathname } = new URL(request.url);
      if (pathname.startsWith('/.well-known/oauth-protected-resource'))
        return Response.json({ resource: `${origin}/mcp`, authorization_servers: [tokens.origin] });
      if (request.headers.get('authorization') !== 'Bearer token-1') return new Response('', { status: 401 });
      return isRefused ? new Response('token-1 is not for you', { status: 418 }) : undefined;
    });
    await using server = open(at(web.url, { ...tokensOf(tokens), clientSecret: 's3cret' }));
    assert.match(await callText(server, 'plain', { said: 'a token-1 b' }), /"said":"a \[redacted\] b"/);
    isRefused = true;
    await assert.rejects(callText(server, 'plain'), {
      message: /\(HTTP 418\): .*\[redacted\] is not for you/,
    });
  });

  test('and names somebody who claims to be the right one: no secret is sent, and both are said', async () => {
    await using tokens = await serveTokens();
    const asked: string[] = [];
    await using other = await serveWeb((request) => {
      const { pathname } = new URL(request.url);
      asked.push(`${request.method} ${pathname}`);
      const endpoints = { authorization_endpoint: '/a', token_endpoint: '/token' };
      const all = Object.entries(endpoints).map(([key, path]) => [key, new URL(path, request.url).href]);
      return Response.json({
        issuer: tokens.origin,
        response_types_supported: ['code'],
        ...Object.fromEntries(all),
      });
    });
    await using web = await serveProtected(other, () => 'token-1');
    await using server = open(at(web.url, { ...tokensOf(tokens), clientSecret: 's3cret' }));
    await assert.rejects(server.tools(unhurried), (thrown: Error & { code: string }) => {
      assert.equal(thrown.code, 'server.denied');
      assert.ok(
        thrown.message.includes(tokens.origin) && thrown.message.includes(other.origin),
        thrown.message,
      );
      return true;
    });
    assert.deepEqual([asked, tokens.asked], [['GET /.well-known/oauth-authorization-server'], []]);
  });

  const wrong: readonly (readonly [what: string, oauth: Client, message: RegExp, asked: number])[] = [
    ['a wrong secret', { clientId: 'me', clientSecret: 'wr0ng-secret' }, /issued no token.*invalid_grant/, 1],
    [
      'a spent refresh token',
      { clientId: 'me', refreshToken: 'refresh-0' },
      /issued no token.*invalid_grant/,
      1,
    ],
    [
      'another authorization server than the settings name',
      { clientId: 'me', clientSecret: 's3cret', issuer: 'https://login.example.com' },
      /rejected the credentials/,
      0,
    ],
  ];
  for (const [what, oauth, message, asked] of wrong) {
    test(`is not reached with ${what}`, async () => {
      await using tokens = await serveTokens();
      await using web = await serveProtected(tokens, () => 'token-1');
      await using server = open(at(web.url, { ...tokensOf(tokens), ...oauth }));
      await assert.rejects(server.tools(unhurried), (thrown: Error & { code: string; hint: string }) => {
        assert.equal(thrown.code, 'server.denied');
        assert.match(thrown.message, message);
        assert.match(thrown.hint, /"oauth" .*server "web"/);
        assert.doesNotMatch(thrown.message, /wr0ng|s3cret|refresh-0/);
        return true;
      });
      assert.equal(tokens.asked.length, asked);
    });
  }
});
