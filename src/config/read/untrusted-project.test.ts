import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '../../core/json.ts';
import { settingsDefinition } from '../schema/definition.ts';
import { withKey } from '../schema/key.ts';
import { findUntrustedValues } from './untrusted-project.ts';

/**
 * The effect of a value in the settings of an untrusted project: applied, applied only if it restricts, or
 * ignored.
 */
type Row =
  | readonly ['counts', value: Json]
  | readonly ['narrows', narrower: Json, wider: Json, own?: Json]
  | readonly ['never', value: Json];

const limit: Row = ['narrows', 1, 2, 1];

/** One row for every setting. The settings in `skills.entries` have their own table below. */
const rows: Readonly<Record<string, Row>> = {
  models: ['never', 'openai/gpt'],
  tierConfig: ['never', { summary: 'plan' }],
  providers: ['never', { mine: { baseUrl: 'http://evil' } }],
  prices: ['never', { 'a/b': { input: 0, output: 0 } }],
  offline: ['narrows', true, false],
  modelRetries: ['narrows', 1, 3],
  modelIdleSeconds: ['narrows', 60, 121],
  store: ['never', 'data/runs.db'],
  database: ['narrows', 'data/records.db', 'postgres://evil/records'],
  retentionDays: ['never', 1],
  exposeInternalSkills: ['narrows', false, true, false],
  assistant: ['narrows', 'skills-only', 'open'],
  projectInstructions: ['narrows', false, true, false],
  fallbackSessionType: ['counts', 'sop'],
  enableSummary: ['narrows', false, true],
  'sessionConfig.maxSessions': ['never', 1],
  'sessionConfig.sessionTTL': ['never', 1],
  'sessionConfig.cleanupInterval': ['never', 1],
  'permissions.allow': ['narrows', [], ['Bash']],
  'permissions.ask': ['counts', ['Bash']],
  'permissions.deny': ['counts', ['Bash']],
  'permissions.approvalHours': ['narrows', 1, 25],
  sandbox: ['narrows', 'required', 'auto'],
  roles: ['narrows', [], ['admin']],
  'skills.entries': [
    'narrows',
    { a: { enabled: false } },
    { a: { enabled: true } },
    { a: { enabled: false } },
  ],
  'skills.allowBundled': ['narrows', [], ['bash'], ['read']],
  'skills.only': ['narrows', [], ['b'], ['a']],
  'skills.except': ['narrows', ['a', 'b'], [], ['a']],
  'skills.allowOverrideBundled': ['narrows', [], ['bash']],
  'skills.disableShellExecution': ['narrows', true, false],
  'skills.enforceTools': ['narrows', true, false],
  mcpServers: ['never', { evil: { command: 'sh' } }],
  'serve.oidc': ['never', { issuer: 'https://evil.example.org', audience: 'skilled' }],
  'install.gitBase': ['never', 'https://evil.example.org'],
  'install.npmRegistry': ['never', 'https://evil.example.org'],
  'install.trustKeys': ['never', ['evil']],
  plugins: ['narrows', [], ['./mine']],
  allowSymlinkTargets: ['narrows', [], ['/home']],
  'limits.depth': limit,
  'limits.frames': limit,
  'limits.leafCalls': limit,
  'limits.steps': limit,
  'limits.runSeconds': limit,
  'limits.callSeconds': limit,
  'limits.tokens': limit,
  'limits.cost': limit,
  'limits.descriptorBytes': limit,
  'limits.frontmatterBytes': limit,
  'limits.frontmatterKeys': limit,
  'limits.frontmatterDepth': limit,
  'limits.maxCandidatesPerRoot': limit,
  'limits.maxSkillsPerSource': limit,
  'limits.maxFoldersPerRoot': limit,
  'limits.maxDepth': limit,
};

function isIgnored(path: readonly string[], value: Json, own?: Json): boolean {
  const users = own === undefined ? {} : withKey({}, path, own);
  return findUntrustedValues(withKey({}, path, value), users).length > 0;
}

describe('what an untrusted project may say', () => {
  test('every setting has a row, and no row is of a setting that is gone', () => {
    assert.deepEqual(Object.keys(rows).sort(), settingsDefinition.map(({ key }) => key).sort());
  });

  for (const [key, row] of Object.entries(rows)) {
    const path = key.split('.');
    test(`${key}: ${row[0]}`, () => {
      const [kind, value] = row;
      const own = row[0] === 'narrows' ? row[3] : undefined;
      assert.equal(isIgnored(path, value, own), kind === 'never');
      if (row[0] === 'narrows') assert.equal(isIgnored(path, row[2], own), true);
    });
  }

  const entries: Readonly<Record<string, readonly [value: Json, isIgnored: boolean]>> = {
    enabled: [false, false],
    config: [{ tray: 2 }, false],
    env: [{ TRAY: '2' }, true],
    apiKey: [{ env: 'KEY' }, true],
    override: [{ model: 'a/b' }, true],
    hosts: [['evil.example'], true],
    read: [['~/'], true],
    workspace: ['write', true],
    processes: [true, true],
  };

  test('every member of skills.entries has a row', () => {
    const shape = settingsDefinition.find(({ key }) => key === 'skills.entries')?.shape;
    const schema = shape?.schema['additionalProperties'] as { properties: JsonObject } | undefined;
    assert.deepEqual(Object.keys(entries).sort(), Object.keys(schema?.properties ?? {}).sort());
  });

  for (const [member, [value, expected]] of Object.entries(entries)) {
    test(`skills.entries.*.${member} ${expected ? 'does not count' : 'counts'}`, () => {
      assert.equal(isIgnored(['skills', 'entries', 'a', member], value), expected);
    });
  }
});
