import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSecretShapes, isAgentError, type Store } from '../../core/index.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { createAuthenticator } from './authenticate.ts';
import { createKeyStore, type NewKey } from './key-store.ts';
import { hasScope, maySeeSkill, missingScope, requestFieldsOf, requesterOf, runUserOf } from './principal.ts';

const anna: NewKey = { name: 'anna', user: 'anna', roles: ['editor'], scopes: ['runs:read', 'runs:write'] };

function open(store: Store = createMemoryStore()) {
  const clock = { at: 1_000_000 };
  const now = () => clock.at;
  const keys = createKeyStore(store, now);
  return { store, clock, keys, authenticator: createAuthenticator({ keys, now }) };
}

async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  const result = await work.catch((thrown: unknown) => thrown);
  return isAgentError(result) ? result.code : undefined;
}

test('a key identifies its owner in both headers', async () => {
  const { keys, authenticator } = open();
  const { key, record } = await keys.add({ ...anna, skills: ['report*'], budget: { cost: 2 } });
  for (const headers of [{ authorization: `Bearer ${key}` }, { 'x-api-key': key }]) {
    const principal = await authenticator.authenticate(new Headers(headers));
    assert.ok(!isAgentError(principal));
    assert.deepEqual(
      [principal.keyId, principal.keyName, principal.user, principal.roles, [...principal.scopes]],
      [record.id, 'anna', 'anna', ['editor'], ['runs:read', 'runs:write']],
    );
    assert.deepEqual(
      [principal.skills, principal.budget, principal.rate],
      [['report*'], { cost: 2 }, undefined],
    );
    assert.deepEqual(runUserOf(principal), { id: 'anna', roles: ['editor'] });
  }
});

test('the store does not contain the key', async () => {
  const { store, keys } = open();
  const { key } = await keys.add(anna);
  const secret = key.split('_')[2] ?? '';
  assert.match(key, /^sk_[a-z0-9]{12}_[\w-]{43}$/);
  assert.deepEqual(findSecretShapes(`My key is ${key}.`), [{ start: 10, end: 10 + key.length }]);
  for (const space of ['server/keys', 'server/key-names', 'server/key-use'])
    assert.ok(!JSON.stringify([...(await store.entries(space))]).includes(secret));
  assert.ok(!JSON.stringify(await keys.list()).includes('hash'));
});

test('an absent, unknown, wrong, doubled, revoked or expired key is refused', async () => {
  const { clock, keys, authenticator } = open();
  const { key } = await keys.add({ ...anna, expiresAt: clock.at + 60_000 });
  const other = (await keys.add({ ...anna, name: 'other' })).key;
  const [, id = '', secret = ''] = key.split('_');
  const refused = async (headers: Record<string, string>): Promise<void> =>
    assert.equal(
      await codeOf(authenticator.authenticate(new Headers(headers))),
      'policy.unauthenticated',
      JSON.stringify(headers),
    );
  await refused({});
  await refused({ authorization: '' });
  await refused({ authorization: key });
  await refused({ authorization: `Basic ${key}` });
  await refused({ authorization: `Basic ${key}`, 'x-api-key': key });
  await refused({ authorization: `Bearer ${key} ${key}` });
  await refused({ authorization: `Bearer ${key}`, 'x-api-key': other });
  await refused({ 'x-api-key': `${key}, ${other}` });
  await refused({ 'x-api-key': `sk_${id}_${'a'.repeat(43)}` });
  await refused({ 'x-api-key': `sk_${'a'.repeat(12)}_${secret}` });
  await refused({ 'x-api-key': `sk_${id}_` });
  await refused({ 'x-api-key': `sk__${'x'.repeat(43)}` });
  await refused({ 'x-api-key': 'a.b.c' });
  for (const name of ['__proto__', 'constructor']) await refused({ 'x-api-key': `sk_${name}_${secret}` });
  assert.equal(await codeOf(authenticator.authenticate(new Headers({ 'x-api-key': key }))), undefined);
  clock.at += 60_000;
  await refused({ 'x-api-key': key });
  assert.equal(await codeOf(authenticator.authenticate(new Headers({ 'x-api-key': other }))), undefined);
  await keys.revoke('other');
  clock.at += 1_000;
  await refused({ 'x-api-key': other });
});

test('an unknown key takes the same steps in the store as a wrong one', async () => {
  const store = createMemoryStore();
  const calls: string[] = [];
  const spied = new Proxy(store, {
    get(target, name: keyof Store) {
      calls.push(name);
      return target[name];
    },
  });
  const { clock, keys, authenticator } = open(spied);
  const { record } = await keys.add(anna);
  const stepsFor = async (id: string): Promise<readonly string[]> => {
    clock.at += 5_000;
    calls.length = 0;
    await authenticator.authenticate(new Headers({ 'x-api-key': `sk_${id}_${'a'.repeat(43)}` }));
    return [...calls];
  };
  assert.deepEqual(await stepsFor('unknownunkno'), await stepsFor(record.id));
});

test('keys have unique names, even when two are added at once', async () => {
  const { keys } = open();
  const added = await Promise.allSettled(Array.from({ length: 8 }, () => keys.add(anna)));
  assert.equal(added.filter(({ status }) => status === 'fulfilled').length, 1);
  assert.equal((await keys.list()).length, 1);
  await keys.revoke('anna');
  const again = await keys.add(anna);
  await keys.revoke(again.record.id);
  assert.deepEqual(await keys.list(), []);
  assert.equal(await codeOf(keys.revoke('anna')), 'usage.not-found');
});

test('invalid properties of a key are refused', async () => {
  const { clock, keys } = open();
  const wrong: readonly Partial<NewKey>[] = [
    { name: '' },
    { name: 'a'.repeat(65) },
    { name: 'line\nbreak' },
    { user: ' ' },
    { roles: [''] },
    { scopes: [] },
    { scopes: ['runs:all' as never] },
    { skills: [''] },
    { expiresAt: clock.at },
    { expiresAt: Number.NaN },
    { budget: { cost: 0 } },
    { budget: { tokens: -1 } },
    { rate: { perMinute: Number.NaN, burst: 1 } },
    { concurrentRuns: Infinity },
  ];
  for (const change of wrong)
    assert.equal(await codeOf(keys.add({ ...anna, ...change })), 'usage.bad-input', JSON.stringify(change));
  assert.deepEqual(await keys.list(), []);
});

test('the list shows the last use, which is written at most once a minute', async () => {
  const { clock, keys, authenticator } = open();
  const { key } = await keys.add(anna);
  const lastUse = async (): Promise<number | undefined> => (await keys.list())[0]?.lastUsedAt;
  assert.equal(await lastUse(), undefined);
  const first = clock.at;
  await authenticator.authenticate(new Headers({ 'x-api-key': key }));
  clock.at += 59_999;
  await authenticator.authenticate(new Headers({ 'x-api-key': key }));
  assert.equal(await lastUse(), first);
  clock.at += 1;
  await authenticator.authenticate(new Headers({ 'x-api-key': key }));
  assert.equal(await lastUse(), clock.at);
});

test('if reading the keys fails, the next request reads them again', async () => {
  const store = createMemoryStore();
  const { keys } = open(store);
  const { key } = await keys.add(anna);
  let fails = true;
  const broken = {
    ...keys,
    records: () => (fails ? Promise.reject(new Error('The store is gone.')) : keys.records()),
  };
  const authenticator = createAuthenticator({ keys: broken });
  const headers = new Headers({ 'x-api-key': key });
  await assert.rejects(authenticator.authenticate(headers));
  fails = false;
  assert.equal(await codeOf(authenticator.authenticate(headers)), undefined);
});

test('a scope is needed, and admin has all', async () => {
  const { keys, authenticator } = open();
  const { key } = await keys.add({ ...anna, scopes: ['runs:read'] });
  const principal = await authenticator.authenticate(new Headers({ 'x-api-key': key }));
  assert.ok(!isAgentError(principal));
  assert.equal(missingScope(principal, 'runs:read'), undefined);
  assert.equal(missingScope(principal, 'runs:write')?.code, 'policy.denied');
  assert.ok(hasScope({ scopes: new Set(['admin']) }, 'approvals:decide'));
  const nobody = { ...principal, user: undefined };
  assert.deepEqual(runUserOf(nobody).id, `key:${principal.keyId}`);
});

test('a run gets the owner, the key and the restrictions of its principal', async () => {
  const { keys, authenticator } = open();
  const { key, record } = await keys.add({ ...anna, skills: ['report*'], permissions: { deny: ['Bash'] } });
  const principal = await authenticator.authenticate(new Headers({ 'x-api-key': key }));
  assert.ok(!isAgentError(principal));
  assert.deepEqual(requestFieldsOf(principal), {
    user: { id: 'anna', roles: ['editor'] },
    client: record.id,
    access: { skills: ['report*'], deny: ['Bash'] },
  });
  const free = { ...principal, skills: undefined, permissions: undefined };
  assert.deepEqual(Object.keys(requestFieldsOf(free)), ['user', 'client']);
  assert.deepEqual(requesterOf(principal), { user: 'anna', client: record.id });
  assert.ok(maySeeSkill(principal, ['other', 'Report-x']) && maySeeSkill(free, ['other']));
  assert.ok(!maySeeSkill(principal, ['other', 'a-report']));
});
