import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Issue } from './issue.ts';
import { requirementsOf } from './requirements.ts';

test('nothing is required without a namespace that says so', () => {
  for (const metadata of [
    undefined,
    {},
    { author: 'me' },
    { skilled: {} },
    { skilled: 'text' },
    { openclaw: { emoji: '🎉' } },
  ]) {
    assert.equal(requirementsOf(metadata), undefined);
  }
});

test('everything a namespace can ask for is read', () => {
  const skilled = {
    os: ['darwin', 'linux'],
    requires: { bins: ['git', ' node '], anyBins: ['rg', 'grep'], env: ['API_KEY'], config: ['a.b'] },
    always: 'true',
    primaryEnv: ' API_KEY ',
    skillKey: 'other',
  };
  assert.deepEqual(requirementsOf({ skilled }), {
    os: ['darwin', 'linux'],
    bins: ['git', 'node'],
    anyBins: ['rg', 'grep'],
    env: ['API_KEY'],
    config: ['a.b'],
    always: true,
    primaryEnv: 'API_KEY',
    skillKey: 'other',
  });
});

test('the first namespace found counts, and none is merged', () => {
  const of = (name: string): object => ({ requires: { bins: [name] }, os: name });
  const all = { clawdbot: of('c'), openclaw: of('b'), skilled: { os: 'a' } };
  assert.deepEqual(requirementsOf(all as never), { os: ['a'] });
  assert.deepEqual(requirementsOf({ clawdbot: of('c'), openclaw: of('b') } as never), {
    os: ['b'],
    bins: ['b'],
  });
  assert.deepEqual(requirementsOf({ clawdbot: of('c') } as never), { os: ['c'], bins: ['c'] });
  assert.equal(requirementsOf({ skilled: {}, openclaw: of('b') } as never), undefined);
});

test('a namespace, or its requires, may be a JSON string', () => {
  assert.deepEqual(requirementsOf({ openclaw: ' {"requires": {"bins": ["git"]}, "always": true}' }), {
    bins: ['git'],
    always: true,
  });
  assert.deepEqual(requirementsOf({ openclaw: { requires: '{"env": ["KEY"]}' } }), { env: ['KEY'] });
  assert.equal(requirementsOf({ openclaw: '{"requires": ' }), undefined);
  assert.deepEqual(requirementsOf({ skilled: '{broken', openclaw: { os: 'linux' } }), { os: ['linux'] });
});

test('a list may be one word or words between commas', () => {
  assert.deepEqual(requirementsOf({ skilled: { os: 'linux, darwin,', requires: { bins: 'git' } } }), {
    os: ['linux', 'darwin'],
    bins: ['git'],
  });
});

test('what is no name is not required', () => {
  assert.deepEqual(
    requirementsOf({
      skilled: { os: ['linux', null, { a: 'b' }, ['x'], ''], requires: ['git'], primaryEnv: ['X'] },
    }),
    { os: ['linux'] },
  );
});

test('always is on by any of its spellings', () => {
  for (const always of [true, 1, 'true', 'Yes', 'ON', '1', ' true '])
    assert.deepEqual(requirementsOf({ skilled: { always } }), { always: true });
  for (const always of [false, 0, 'false', 'no', 'maybe', '', null, { a: 'b' }])
    assert.equal(requirementsOf({ skilled: { always } }), undefined);
});

test('a namespace in a JSON string cannot reach a prototype', () => {
  assert.deepEqual(requirementsOf({ skilled: '{"__proto__": {"os": ["linux"]}, "skillKey": "k"}' }), {
    skillKey: 'k',
  });
});

test('keys are compared without case, also below the namespace', () => {
  const found = requirementsOf({
    Skilled: { OS: ['darwin'], Requires: { Bins: ['op'], any_bins: 'a, b' }, ALWAYS: 'yes' },
  });
  assert.deepEqual(found, { os: ['darwin'], bins: ['op'], always: true });
});

test('a requirement that cannot be read is never dropped without a word', () => {
  const issues: Issue[] = [];
  requirementsOf(
    { skilled: { always: 'maybe', primaryEnv: ['A'], requires: { bins: { a: 'b' }, env: ['X', null] } } },
    issues,
  );
  assert.deepEqual(
    issues.map(({ message }) => /^"(\w+)"/.exec(message)?.[1]),
    ['bins', 'env', 'always', 'primaryEnv'],
  );
  requirementsOf({ skilled: { requires: 'op' } }, issues);
  assert.match(issues.at(-1)?.message ?? '', /^"requires" in the metadata should be a map/);
});
