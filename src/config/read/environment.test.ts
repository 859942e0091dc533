import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readLayers, readSettings } from './settings.ts';

type Environment = Readonly<Record<string, string>>;

function read(environment: Environment): ReturnType<typeof readSettings> {
  return readSettings({ environment });
}

describe('settings in the environment', () => {
  const cases: readonly (readonly [environment: Environment, all: object])[] = [
    [{ SKILLED_MODEL: 'a/b' }, { models: 'a/b' }],
    [{ SKILLED_MODEL: 'a/b, c/d' }, { models: ['a/b', 'c/d'] }],
    [
      { SKILLED_MODEL_PLAN: 'a/b', SKILLED_MODEL_VERY_FAST: 'c/d' },
      { models: { plan: 'a/b', 'very-fast': 'c/d' } },
    ],
    [{ SKILLED_MODEL_PLAN: 'p/p', SKILLED_MODEL: 'a/b' }, { models: { default: 'a/b', plan: 'p/p' } }],
    [{ SKILLED_BASE_URL: 'http://x/v1' }, { providers: { custom: { baseUrl: 'http://x/v1' } } }],
    [{ SKILLED_OFFLINE: '1' }, { offline: true }],
    [{ SKILLED_OFFLINE: 'Off' }, { offline: false }],
    [{ SKILLED_RETENTION_DAYS: '7' }, { retentionDays: 7 }],
    [
      { SKILLED_LIMITS_RUN_SECONDS: '60', SKILLED_LIMITS_COST: '.5' },
      { limits: { runSeconds: 60, cost: 0.5 } },
    ],
    [{ SKILLED_STORE: 'postgres://ann:word@db/runs' }, { store: 'postgres://ann:word@db/runs' }],
    [{ SKILLED_DATABASE: 'postgres://ann:word@db/x' }, { database: 'postgres://ann:word@db/x' }],
    [{ SKILLED_MODEL: '', SKILLED_OFFLINE: '', SKILLED_LIMITS_DEPTH: '' }, {}],
    [{ SKILLED_RUN_ID: 'r_1', SKILLED_HOME: '/x', OTHER: '1' }, {}],
  ];
  for (const [environment, all] of cases) {
    test(JSON.stringify(environment), () => {
      const { settings, issues } = read(environment);
      assert.deepEqual([settings.all, issues], [all, []]);
    });
  }

  const wrong: readonly (readonly [environment: Environment, message: RegExp])[] = [
    [{ SKILLED_OFFLINE: 'maybe' }, /^SKILLED_OFFLINE .* true or false/],
    [{ SKILLED_RETENTION_DAYS: 'soon' }, /^SKILLED_RETENTION_DAYS .* a whole number/],
    [{ SKILLED_LIMITS_DEPTH: '1.5' }, /^SKILLED_LIMITS_DEPTH .* a whole number/],
    [{ SKILLED_LIMITS_DEPHT: '1' }, /^SKILLED_LIMITS_DEPHT is not a known limit/],
    [{ SKILLED_BASE_URL: 'localhost:80' }, /^SKILLED_BASE_URL .* an http/],
    [{ SKILLED_API_KEY_ENV: 'sk-or-v1-0123' }, /^SKILLED_API_KEY_ENV .* the name of an environment variable/],
    [{ SKILLED_MODEL: ',' }, /^SKILLED_MODEL .* a model or /],
  ];
  for (const [environment, message] of wrong) {
    test(`${JSON.stringify(environment)} is a finding without the value`, () => {
      const { settings, issues } = read(environment);
      assert.deepEqual(settings.all, {});
      assert.equal(issues.length, 1);
      assert.match(issues[0]?.message ?? '', message);
      assert.notEqual(issues[0]?.hint, undefined);
      assert.doesNotMatch(JSON.stringify(issues), /sk-or|maybe/);
    });
  }
});

describe('a variable by its name in release 0.1', () => {
  const money = { SKILLED_LIMITS_MONEY: '2' };

  test('sets what the new one sets, and a finding names that', () => {
    const { settings, issues } = read(money);
    assert.deepEqual(settings.all, { limits: { cost: 2 } });
    assert.deepEqual(issues, [
      {
        level: 'warning',
        code: 'settings.renamed',
        message:
          'SKILLED_LIMITS_MONEY is now SKILLED_LIMITS_COST. The next release will ignore the old name.',
        hint: 'Set SKILLED_LIMITS_COST instead.',
        details: { key: 'SKILLED_LIMITS_MONEY', current: 'SKILLED_LIMITS_COST' },
      },
    ]);
  });

  test('has no effect next to the new one, and causes no warning, so that both can be set', () => {
    const { settings, issues } = read({ ...money, SKILLED_LIMITS_COST: '3' });
    assert.deepEqual([settings.all, issues], [{ limits: { cost: 3 } }, []]);
    assert.deepEqual(read({ ...money, SKILLED_LIMITS_COST: '' }).settings.all, { limits: { cost: 2 } });
  });

  test('is named as it was set where its value is wrong, and where a layer is shown', () => {
    const messages = read({ SKILLED_LIMITS_MONEY: 'two' }).issues.map(({ message }) => message);
    assert.equal(messages.length, 2);
    assert.match(messages[1] ?? '', /^SKILLED_LIMITS_MONEY is ignored.* a number of at least 0/);
    const [layer] = readLayers({ environment: money }).layers;
    assert.equal(layer?.from, 'SKILLED_LIMITS_MONEY');
  });
});
