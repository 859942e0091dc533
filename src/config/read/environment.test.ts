import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readSettings } from './settings.ts';

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
      { SKILLED_LIMITS_RUN_SECONDS: '60', SKILLED_LIMITS_MONEY: '.5' },
      { limits: { runSeconds: 60, money: 0.5 } },
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
    [{ SKILLED_OFFLINE: 'maybe' }, /^SKILLED_OFFLINE must be true or false/],
    [{ SKILLED_RETENTION_DAYS: 'soon' }, /^SKILLED_RETENTION_DAYS must be a whole number/],
    [{ SKILLED_LIMITS_DEPTH: '1.5' }, /^SKILLED_LIMITS_DEPTH must be a whole number/],
    [{ SKILLED_LIMITS_DEPHT: '1' }, /^SKILLED_LIMITS_DEPHT names no limit/],
    [{ SKILLED_BASE_URL: 'localhost:80' }, /^SKILLED_BASE_URL must be an http/],
    [
      { SKILLED_API_KEY_ENV: 'sk-or-v1-0123' },
      /^SKILLED_API_KEY_ENV must be the name of an environment variable/,
    ],
    [{ SKILLED_MODEL: ',' }, /^SKILLED_MODEL must be a model/],
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
