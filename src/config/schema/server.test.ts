import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tree } from '../../../test/support/tree.ts';
import { readSettings } from '../read/settings.ts';

const oidc = { issuer: 'https://login.example.org', audience: 'skilled', roleScopes: { boss: ['admin'] } };

function read({ user = {}, project = {} }: { readonly user?: object; readonly project?: object }) {
  using files = tree({
    'home/.skilled/settings.json': JSON.stringify(user),
    'home/work/.skilled/settings.json': JSON.stringify(project),
  });
  const { settings, issues } = readSettings({
    startDir: files.at('home/work'),
    userFolder: files.at('home/.skilled'),
    home: files.at('home'),
  });
  const { serve } = (settings.all ?? {}) as { readonly serve?: { readonly oidc?: unknown } };
  return { oidc: serve?.oidc, codes: issues.map(({ code }) => code) };
}

test('the user can set an identity provider', () => {
  assert.deepEqual(read({ user: { serve: { oidc } } }), { oidc, codes: [] });
});

test('a project cannot let its own users in', () => {
  const { oidc: found } = read({ project: { serve: { oidc } } });
  assert.equal(found, undefined);
});

test('a provider without issuer or audience does not count, and wrong scopes are left out', () => {
  for (const wrong of [{ issuer: oidc.issuer }, { audience: 'skilled' }, { ...oidc, audience: ' ' }]) {
    const { oidc: found, codes } = read({ user: { serve: { oidc: wrong } } });
    assert.equal(found, undefined, JSON.stringify(wrong));
    assert.ok(codes.length > 0);
  }
  const { oidc: found, codes } = read({ user: { serve: { oidc: { ...oidc, scopes: ['admin', 'root'] } } } });
  assert.deepEqual(found, { ...oidc, scopes: ['admin'] });
  assert.equal(codes.length, 1);
});
