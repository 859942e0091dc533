import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../core/json.ts';
import { joinSettings } from '../read/layers.ts';
import { modelOptionsOf as optionsOfLayers } from './options.ts';

const modelOptionsOf = (values: JsonObject): ReturnType<typeof optionsOfLayers> =>
  optionsOfLayers([{ name: 'user', from: 'settings.json', values }]);

describe('what settings say about models', () => {
  test('nothing, when they say nothing', () => {
    assert.deepEqual(modelOptionsOf({ limits: { depth: 1 } }), {});
  });

  test('all of it, under the names of the library', () => {
    const all = {
      models: { plan: ['a/b', 'c/d'] },
      tierConfig: { plan: 'fast' },
      providers: { mine: { baseUrl: 'http://x', apiKeyEnv: 'KEY', tools: 'text' } },
      prices: { 'a/b': { input: 1, output: 2 } },
      modelRetries: 0,
      modelIdleSeconds: 5,
      offline: false,
    };
    const { modelRetries: retries, modelIdleSeconds: idleSeconds, ...same } = all;
    assert.deepEqual(modelOptionsOf(all), { ...same, retries, idleSeconds });
  });

  test('a model without a provider belongs to the server of --base-url', () => {
    const providers = { custom: { baseUrl: 'http://x' } };
    const named = (models: JsonObject | string | string[]): unknown =>
      modelOptionsOf({ models, providers }).models;
    assert.equal(named('llama'), 'custom/llama');
    assert.deepEqual(named(['llama', 'a/b']), ['custom/llama', 'a/b']);
    assert.deepEqual(named({ plan: 'llama', fast: ['qwen'] }), {
      plan: 'custom/llama',
      fast: ['custom/qwen'],
    });
    assert.equal(modelOptionsOf({ models: 'llama' }).models, 'llama');
  });

  test('a key without a server is not a provider', () => {
    assert.deepEqual(modelOptionsOf({ providers: { custom: { apiKeyEnv: 'KEY' } } }), {});
  });
});

describe('models of several layers', () => {
  const join = (...layers: JsonObject[]): unknown => layers.reduce(joinSettings, {})['models'];

  test('tiers are joined, and the higher one wins', () => {
    const joined = join({ models: { plan: 'a', fast: 'b' } }, { models: { plan: 'c' } });
    assert.deepEqual(joined, { plan: 'c', fast: 'b' });
  });

  test('one for all stays that of the tiers that no one names', () => {
    assert.deepEqual(join({ models: 'a' }, { models: { plan: 'c' } }), { default: 'a', plan: 'c' });
    assert.deepEqual(join({ models: ['a', 'b'] }, { models: { plan: 'c' } }), {
      default: ['a', 'b'],
      plan: 'c',
    });
  });

  test('one for all replaces every tier below it', () => {
    assert.equal(join({ models: { plan: 'a' } }, { models: 'b' }), 'b');
  });
});
