import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../core/json.ts';
import { explainSetting, type Explanation, type SettingsLayer } from './layers.ts';
import { keyPath } from '../schema/key.ts';

function explain(
  key: string,
  layers: Readonly<Partial<Record<SettingsLayer['name'], JsonObject>>>,
): Explanation {
  const given = Object.entries(layers).map(
    ([name, values]) => ({ name, from: name, values }) as SettingsLayer,
  );
  return explainSetting(keyPath(key), given);
}

function winners({ says }: Explanation): readonly string[] {
  return says.filter(({ wins }) => wins).map(({ layer }) => layer);
}

test('the highest layer wins, and the default is the last', () => {
  const layers = { user: { limits: { depth: 3 } }, project: { limits: { depth: 4 } } };
  const found = explain('limits.depth', layers);
  assert.equal(found.value, 4);
  assert.deepEqual(winners(found), ['project']);
  assert.deepEqual(
    found.says.map(({ layer, value }) => [layer, value]),
    [
      ['project', 4],
      ['user', 3],
      ['default', 8],
    ],
  );
  assert.equal(explain('limits.depth', {}).value, 8);
});

test('an object comes from all layers that have a part of it', () => {
  const found = explain('models', {
    user: { models: { fast: 'a/b' } },
    project: { models: { plan: 'c/d' } },
  });
  assert.deepEqual(found.value, { fast: 'a/b', plan: 'c/d' });
  assert.deepEqual(winners(found), ['project', 'user']);
});

test('one model for all hides the tiers below it', () => {
  const found = explain('models.plan', {
    project: { models: { plan: 'a/b' } },
    environment: { models: 'c/d' },
  });
  assert.equal(found.value, 'c/d');
  assert.deepEqual(winners(found), ['environment']);
  assert.equal(found.says[0]?.key, 'models');
});

test('a key that is not ours has no setting, and a value where one is set', () => {
  assert.deepEqual(explain('x.y', { user: { x: { y: 1 } } }).value, 1);
  assert.deepEqual(explain('x.y', {}), { key: 'x.y', says: [] });
});

test('names with dots are in quotes', () => {
  const prices = { 'openai/gpt-4.1': { input: 2, output: 8 } };
  const found = explain('prices."openai/gpt-4.1".input', { user: { prices } });
  assert.deepEqual([found.value, found.key], [2, 'prices."openai/gpt-4.1".input']);
  for (const bad of ['', '.', 'a..b', 'a.', '"a', 'a"b"', '__proto__.x', 'a.constructor'])
    assert.throws(() => keyPath(bad), { code: 'usage.bad-input' }, bad);
});
