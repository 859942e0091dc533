import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAgentError } from '../core/error.ts';
import { sessionKeyOf } from './session-options.ts';

test('the first id that is set names the session, in a fixed order', () => {
  const user = { sessionId: 'of the user', sessionToken: 'token' };
  assert.equal(sessionKeyOf({ sessionId: 'own', user }), 'own');
  assert.equal(sessionKeyOf({ user }), 'of the user');
  assert.match(sessionKeyOf({ user: { sessionToken: 'token' } }), /^token-[0-9a-f]{32}$/);
  assert.equal(sessionKeyOf({ user: {} }), 'default');
  assert.equal(sessionKeyOf({}), 'default');
});

test('an empty id is not set', () => {
  assert.equal(sessionKeyOf({ sessionId: '', user: { sessionId: '', sessionToken: '' } }), 'default');
  assert.equal(sessionKeyOf({ sessionId: '', user: { sessionId: 'of the user' } }), 'of the user');
  assert.equal(sessionKeyOf({ sessionId: null as never, user: { sessionId: 'x' } }), 'x');
});

test('a token names one session, and cannot be read from its id', () => {
  const [first, again, other] = ['secret-1', 'secret-1', 'secret-2'].map((sessionToken) =>
    sessionKeyOf({ user: { sessionToken } }),
  );
  assert.equal(first, again);
  assert.notEqual(first, other);
  assert.ok(!first?.includes('secret'));
});

test('odd ids are just ids', () => {
  for (const id of ['__proto__', 'constructor', 'a/b', '../x', '😀', ' ', 'x'.repeat(10_000)])
    assert.equal(sessionKeyOf({ sessionId: id }), id);
});

test('an id that is not text is refused by its name', () => {
  const given: readonly [object, string][] = [
    [{ sessionId: 1 }, 'sessionId'],
    [{ user: { sessionId: {} } }, 'user.sessionId'],
    [{ user: { sessionToken: ['x'] } }, 'user.sessionToken'],
  ];
  for (const [named, name] of given)
    assert.throws(
      () => sessionKeyOf(named),
      (thrown) =>
        isAgentError(thrown) &&
        thrown.code === 'usage.bad-input' &&
        thrown.message.startsWith(`The ${name} `) &&
        thrown.hint !== undefined,
    );
});

test('an id that is in logs for a token or a user opens nothing by itself, and cannot be taken beforehand', () => {
  const ofAnn = sessionKeyOf({ user: { id: 'ann' } });
  const ofToken = sessionKeyOf({ user: { sessionToken: 'token' } });
  const denied = (thrown: unknown): boolean => isAgentError(thrown) && thrown.code === 'policy.denied';
  for (const sessionId of [ofAnn, ofToken])
    for (const user of [undefined, {}, { id: 'mallory' }, { sessionToken: 'guessed' }])
      assert.throws(() => sessionKeyOf({ sessionId, ...(user && { user }) }), denied);
  assert.equal(sessionKeyOf({ sessionId: ofAnn, user: { id: 'ann' } }), ofAnn);
  assert.equal(sessionKeyOf({ user: { sessionId: ofToken, sessionToken: 'token' } }), ofToken);
});
