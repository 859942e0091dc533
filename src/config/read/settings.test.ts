import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { tree, type Tree } from '../../../test/support/tree.ts';
import { trustProject } from '../../../test/support/trust-project.ts';
import { readSettings } from './settings.ts';
import { settingsFiles } from '../paths.ts';

function sources(files: Tree, startDir = 'home/work'): Parameters<typeof readSettings>[0] {
  return { startDir: files.at(startDir), userFolder: files.at('home/.skilled'), home: files.at('home') };
}

function messages(files: Tree): readonly string[] {
  return readSettings(sources(files)).issues.map(({ message }) => message);
}

describe('settings files', () => {
  test('the user, then the project, then the local one: the later goes first', () => {
    using files = tree({
      'home/.skilled/settings.json':
        '{"plugins": ["user"], "skills": {"only": ["user", "project", "local"], "except": ["user"]}, "x": {"a": 1, "b": 1}}',
      'home/work/.skilled/settings.json':
        '{"skills": {"only": ["project", "local"], "entries": {"a": {"enabled": false}}}, "x": {"b": 2, "c": 2}}',
      'home/work/.skilled/settings.local.json':
        '{"skills": {"only": ["local"], "entries": {"a": {"config": {"k": 1}}}}, "x": {"c": 3}}',
    });
    const { settings, issues } = readSettings(sources(files));
    assert.deepEqual(issues, []);
    assert.deepEqual(settings.plugins, ['user']);
    assert.deepEqual(settings.skills, {
      only: ['local'],
      except: ['user'],
      entries: { a: { enabled: false, config: { k: 1 } } },
    });
    assert.deepEqual(settings.all?.['x'], { a: 1, b: 2, c: 3 });
  });

  test('relative folders start where the settings lie, from whatever folder they are read', async () => {
    using files = tree({
      'home/.skilled/settings.json': '{"allowSymlinkTargets": ["shared"]}',
      'home/work/.skilled/settings.json': '{"plugins": ["./mine", "package", "@scope/package"]}',
      'home/work/deep/down/file.txt': '',
    });
    await trustProject(sources(files));
    const { settings } = readSettings(sources(files, 'home/work/deep/down'));
    assert.deepEqual(settings.plugins, [files.at('home/work/mine'), 'package', '@scope/package']);
    assert.deepEqual(settings.allowSymlinkTargets, [files.at('home/shared')]);
  });

  test('how prompts are carried out and what is remembered of sessions', async () => {
    using files = tree({
      'home/.skilled/settings.json':
        '{"exposeInternalSkills": false, "sessionConfig": {"maxSessions": 5, "sessionTTL": 0}}',
      'home/work/.skilled/settings.json':
        '{"fallbackSessionType": "sop", "enableSummary": true, "sessionConfig": {"sessionTTL": 60000}}',
    });
    await trustProject(sources(files));
    const { settings, issues } = readSettings(sources(files));
    assert.deepEqual(issues, []);
    const { exposeInternalSkills, fallbackSessionType, enableSummary, sessionConfig } = settings;
    assert.deepEqual(
      { exposeInternalSkills, fallbackSessionType, enableSummary, sessionConfig },
      {
        exposeInternalSkills: false,
        fallbackSessionType: 'sop',
        enableSummary: true,
        sessionConfig: { maxSessions: 5, sessionTTL: 60_000 },
      },
    );
  });

  test('what is said of prompts and sessions has its shape, and no misspelt name counts', () => {
    using files = tree({
      'home/.skilled/settings.json':
        '{"fallbackSessionType": "plan", "sessionConfig": {"maxSession": 5, "sessionTTL": -1, "cleanupInterval": 3e9}}',
    });
    assert.deepEqual(messages(files), [
      '"fallbackSessionType" must be "loop" or "sop". It is ignored.',
      '"sessionConfig.maxSession" must be the name of a session setting (Did you mean "maxSessions"). It is ignored.',
      '"sessionConfig.sessionTTL" must be a whole number. It is ignored.',
      '"sessionConfig.cleanupInterval" must be a whole number up to 2,147,483,647. It is ignored.',
    ]);
    assert.equal(readSettings(sources(files)).settings.fallbackSessionType, undefined);
  });

  test('an empty file says nothing', () => {
    using files = tree({ 'home/.skilled/settings.json': '', 'home/work/.skilled/settings.json': ' \n' });
    const { settings, issues } = readSettings(sources(files));
    assert.deepEqual([settings.all, issues], [{}, []]);
  });

  test('an invalid model for all tiers is reported with all valid values', () => {
    using files = tree({ 'home/.skilled/settings.json': '{"models": 7}' });
    assert.deepEqual(messages(files), [
      '"models" must be a model or a list of models, or an object of these keyed by tier. It is ignored.',
    ]);
  });

  test('what does not count is named with its line, also below a name with dots', () => {
    using files = tree({
      'home/.skilled/settings.json':
        '{\n  // mine\n  "prices": {\n    "a/b.c": {\n      "input": "x", "output": 1 } } }',
      'home/work/.skilled/settings.json':
        '{\n  "limits": { "depth": 3 },\n  "offline": false,\n  "offline": "no"\n}',
      'home/work/.skilled/settings.local.json': '{\n\n  "offline": false }',
    });
    const { issues } = readSettings(sources(files));
    assert.deepEqual(
      issues.map(({ code, line }) => [code, line]),
      [
        ['settings.invalid', 5],
        ['settings.invalid', 4],
        ['settings.untrusted', 3],
      ],
    );
  });

  test('none at all is fine', () => {
    using files = tree();
    assert.deepEqual(readSettings(sources(files)), { settings: { all: {} }, issues: [] });
    assert.deepEqual(readSettings({}), { settings: { all: {} }, issues: [] });
  });

  test('a folder in which anybody may write is not a project of those below it', () => {
    using files = tree({ 'shared/.skilled/settings.json': '{"x": 1}', 'shared/mine/deep/file.txt': '' });
    const inside = (): unknown => readSettings({ startDir: files.at('shared/mine/deep') }).settings.all;
    assert.deepEqual(inside(), { x: 1 });
    chmodSync(files.at('shared'), 0o1777);
    assert.deepEqual(inside(), {});
  });

  test('the nearest folder upwards that has settings is the project', () => {
    using files = tree({
      'home/work/.git/HEAD': '',
      'home/work/.skilled/settings.json': '{}',
      'home/work/pkg/.skilled/skills/a/SKILL.md': '',
      'home/work/pkg/src/x': '',
      'home/work/other/.skilled/settings.local.json': '{}',
    });
    const found = (startDir: string): readonly string[] =>
      settingsFiles(sources(files, startDir)).map(({ file }) => relative(files.path, file));
    const user = 'home/.skilled/settings.json';
    const project = (dir: string): string[] =>
      ['settings.json', 'settings.local.json'].map((name) => join(dir, '.skilled', name));
    assert.deepEqual(found('home/work/pkg/src'), [user, ...project('home/work')]);
    assert.deepEqual(found('home/work/other'), [user, ...project('home/work/other')]);
  });

  test('the search ends at the repository and below home', () => {
    using files = tree({
      'home/.skilled/settings.json': '{}',
      'home/.skilled/settings.local.json': '{"plugins": ["not-a-project"]}',
      'home/plain/x': '',
      'home/repo/.git/HEAD': '',
      'home/repo/src/x': '',
    });
    assert.equal(readSettings(sources(files, 'home/plain')).settings.plugins, undefined);
    assert.equal(readSettings(sources(files, 'home/repo/src')).settings.plugins, undefined);
    assert.equal(
      settingsFiles(sources(files, 'home/repo/src'))[1]?.file,
      files.at('home/repo/src/.skilled/settings.json'),
    );
    assert.equal(
      settingsFiles(sources(files, 'home')).filter(
        ({ file }) => file === files.at('home/.skilled/settings.json'),
      ).length,
      1,
    );
  });

  test('without a start folder only the user has settings', () => {
    using files = tree({ 'home/.skilled/settings.json': '{"plugins": ["user"]}' });
    const { settings } = readSettings({ userFolder: files.at('home/.skilled'), home: files.at('home') });
    assert.deepEqual(settings.plugins, ['user']);
  });
});

describe('what is wrong with settings', () => {
  test('broken JSON is named with file and line, and the other files count', () => {
    using files = tree({
      'home/.skilled/settings.json': '{"plugins": ["user"]}',
      'home/work/.skilled/settings.json': '{\n  // mine\n  "skills": {,\n}',
    });
    const { settings, issues } = readSettings(sources(files));
    assert.deepEqual(settings.plugins, ['user']);
    assert.equal(issues.length, 1);
    const [issue] = issues;
    assert.deepEqual([issue?.level, issue?.code, issue?.line], ['error', 'settings.invalid', 3]);
    assert.equal(issue?.file, files.at('home/work/.skilled/settings.json'));
    assert.notEqual(issue.hint, undefined);
  });

  const shapes: readonly (readonly [json: string, path: string])[] = [
    ['{"skills": []}', 'skills'],
    ['{"skills": {"entries": "x"}}', 'skills.entries'],
    ['{"skills": {"entries": {"a": true}}}', 'skills.entries.a'],
    ['{"skills": {"entries": {"a": {"enabled": "no"}}}}', 'skills.entries.a.enabled'],
    ['{"skills": {"entries": {"a": {"env": ["X"]}}}}', 'skills.entries.a.env'],
    ['{"skills": {"entries": {"a": {"env": {"X": 1}}}}}', 'skills.entries.a.env.X'],
    ['{"skills": {"entries": {"a": {"env": {"X": {"env": 1}}}}}}', 'skills.entries.a.env.X'],
    ['{"skills": {"entries": {"a": {"apiKey": "sk-1"}}}}', 'skills.entries.a.apiKey'],
    ['{"skills": {"entries": {"a": {"apiKey": {"env": " "}}}}}', 'skills.entries.a.apiKey'],
    ['{"skills": {"entries": {"a": {"config": 1}}}}', 'skills.entries.a.config'],
    ['{"skills": {"only": "a"}}', 'skills.only'],
    ['{"skills": {"except": [1]}}', 'skills.except'],
    ['{"skills": {"allowBundled": {}}}', 'skills.allowBundled'],
    ['{"skills": {"allowOverrideBundled": null}}', 'skills.allowOverrideBundled'],
    ['{"plugins": "a"}', 'plugins'],
    ['{"allowSymlinkTargets": [[]]}', 'allowSymlinkTargets'],
    ['{"limits": 1}', 'limits'],
    ['{"limits": {"maxDeph": 3}}', 'limits.maxDeph'],
    ['{"limits": {"maxDepth": -1}}', 'limits.maxDepth'],
    ['{"limits": {"maxDepth": 1.5}}', 'limits.maxDepth'],
    ['{"limits": {"maxDepth": "3"}}', 'limits.maxDepth'],
    ['{"models": []}', 'models'],
    ['{"models": {"plan": 1}}', 'models.plan'],
    ['{"models": {"plan": ["a/b", ""]}}', 'models.plan'],
    ['{"tierConfig": {"plna": "x"}}', 'tierConfig.plna'],
    ['{"offline": "yes"}', 'offline'],
    ['{"modelRetries": -1}', 'modelRetries'],
    ['{"modelIdleSeconds": 0}', 'modelIdleSeconds'],
    ['{"retentionDays": 1.5}', 'retentionDays'],
    ['{"store": "postgres://ann:sk-1@db/runs"}', 'store'],
    ['{"database": "postgres://ann:sk-1@db/records"}', 'database'],
    ['{"providers": {"a": {}}}', 'providers.a'],
    ['{"providers": {"a": {"baseUrl": "ftp://x"}}}', 'providers.a.baseUrl'],
    ['{"providers": {"a": {"baseUrl": "http://ann:sk-1@x"}}}', 'providers.a.baseUrl'],
    ['{"providers": {"a": {"baseUrl": "http://x", "apiKeyEnv": "sk-1"}}}', 'providers.a.apiKeyEnv'],
    ['{"providers": {"a": {"baseUrl": "http://x", "tools": "none"}}}', 'providers.a.tools'],
    ['{"prices": {"a/b": {"input": 1}}}', 'prices.a/b'],
    ['{"prices": {"a/b": {"input": 1, "output": 1, "cache": 1}}}', 'prices.a/b.cache'],
  ];
  for (const [json, path] of shapes) {
    test(`${json} is reported and not used`, () => {
      using files = tree({ 'home/.skilled/settings.json': json });
      const { settings, issues } = readSettings(sources(files));
      assert.equal(issues.length, 1);
      assert.ok(issues[0]?.message.startsWith(`"${path}" must be `), issues[0]?.message);
      assert.equal(issues[0]?.file, files.at('home/.skilled/settings.json'));
      assert.doesNotMatch(JSON.stringify([settings, issues]), /sk-1/);
      const at = path
        .split('.')
        .reduce<unknown>(
          (value, part) => (value as Record<string, unknown> | undefined)?.[part],
          settings.all,
        );
      assert.equal(at, undefined);
    });
  }

  test('a wrong part leaves the right parts, and the right part of the layer below', () => {
    using files = tree({
      'home/.skilled/settings.json': '{"skills": {"only": ["a"]}}',
      'home/work/.skilled/settings.json':
        '{"skills": {"only": 5, "except": ["b"], "entries": {"x": 1, "y": {"enabled": false}}}}',
    });
    const { settings, issues } = readSettings(sources(files));
    assert.equal(issues.length, 2);
    assert.deepEqual(settings.skills, { only: ['a'], except: ['b'], entries: { y: { enabled: false } } });
  });

  test('settings that are not an object, not a file, or a pipe', () => {
    using files = tree({ 'home/.skilled/settings.json': '[1]', 'home/work/.skilled/x': '' });
    mkdirSync(files.at('home/work/.skilled/settings.json'));
    execFileSync('mkfifo', [files.at('home/work/.skilled/settings.local.json')]);
    assert.deepEqual(messages(files), [
      'The settings must be a JSON object.',
      'The settings path is not a regular file.',
      'The settings path is not a regular file.',
    ]);
  });

  test('keys on the prototype change nothing', () => {
    const json =
      '{"__proto__": {"plugins": ["x"]}, "skills": {"__proto__": {"only": ["x"]}, "entries": {"__proto__": {"enabled": false}}}}';
    using files = tree({ 'home/.skilled/settings.json': json, 'home/work/.skilled/settings.json': json });
    const { settings } = readSettings(sources(files));
    assert.deepEqual(settings.skills, { entries: {} });
    assert.equal(settings.plugins, undefined);
    assert.equal(({} as { plugins?: unknown }).plugins, undefined);
  });
});

describe('what a project says', () => {
  const strange: readonly (readonly [json: string, key: string])[] = [
    ['{"providers": {"anthropic": {"baseUrl": "http://evil.example"}}}', 'providers'],
    ['{"prices": {"a/b": {"input": 0, "output": 0}}}', 'prices'],
    ['{"offline": false}', 'offline'],
    ['{"store": "postgres://evil.example/runs"}', 'store'],
    ['{"store": "/etc/runs.db"}', 'store'],
    ['{"store": "../runs.db"}', 'store'],
    ['{"store": ".skilled/../../runs.db"}', 'store'],
    ['{"database": "postgres://evil.example/records"}', 'database'],
    ['{"database": "env:HOME"}', 'database'],
    ['{"database": "../records.db"}', 'database'],
    ['{"modelRetries": 9007199254740991}', 'modelRetries'],
    ['{"skills": {"allowOverrideBundled": ["bash"]}}', 'skills.allowOverrideBundled'],
    ['{"allowSymlinkTargets": ["."]}', 'allowSymlinkTargets'],
    ['{"limits": {"steps": 41}}', 'limits.steps'],
    ['{"skills": {"entries": {"bash": {"apiKey": {"env": "K"}}}}}', 'skills.entries.bash.apiKey'],
    ['{"skills": {"entries": {"bash": {"env": {"FOO": {"env": "K"}}}}}}', 'skills.entries.bash.env.FOO'],
  ];
  for (const file of ['settings.json', 'settings.local.json']) {
    for (const [json, key] of strange) {
      test(`${json} in ${file} does not count, and the finding says where it would`, () => {
        using files = tree({ [`home/work/.skilled/${file}`]: json });
        const { settings, issues } = readSettings(sources(files));
        assert.deepEqual(leavesIn(settings), []);
        assert.equal(issues.length, 1);
        const [issue] = issues;
        assert.deepEqual([issue?.code, issue?.level], ['settings.untrusted', 'warning']);
        assert.match(issue?.message ?? '', new RegExp(`^"${key}" is ignored in project settings\\. `));
        assert.match(issue?.hint ?? '', new RegExp(`config set --user ${key}`));
      });
    }
  }

  test('narrows the limits of the user, and widens none', () => {
    using files = tree({
      'home/.skilled/settings.json': '{"limits": {"cost": 1, "steps": 100, "depth": 3}}',
      'home/work/.skilled/settings.json': '{"limits": {"cost": 2, "steps": 50, "depth": 4, "tokens": 9}}',
      'home/work/.skilled/settings.local.json': '{"limits": {"cost": 0.5, "steps": 60}}',
    });
    const { settings, issues } = readSettings(sources(files));
    assert.deepEqual(settings.limits, { cost: 0.5, steps: 60, depth: 3, tokens: 9 });
    assert.equal(issues.length, 2);
  });

  test('gives no variable to a skill, least of all a secret of the user, and the rest of its entry counts', () => {
    const entry =
      '{"enabled": true, "env": {"A": "plain", "B": {"env": "SECRET"}}, "apiKey": {"env": "SECRET"}}';
    using files = tree({
      'home/work/.skilled/settings.json': `{"skills": {"entries": {"bash": ${entry}}}}`,
    });
    const { settings } = readSettings(sources(files));
    assert.deepEqual(settings.skills?.entries, { bash: { enabled: true, env: {} } });
  });

  test('may keep records in its own folder, and be offline; runs only when it is trusted', () => {
    using files = tree({
      'home/work/.skilled/settings.json':
        '{"store": "data/runs.db", "database": "data/tables.db", "offline": true}',
    });
    const { settings, issues } = readSettings(sources(files));
    assert.deepEqual(
      issues.map(({ code }) => code),
      ['settings.untrusted'],
    );
    assert.deepEqual(settings.all, { database: files.at('home/work/data/tables.db'), offline: true });
    assert.deepEqual(settings.modelOptions, { offline: true });
  });

  test('cannot give a server of the user another address', () => {
    using files = tree({
      'home/.skilled/settings.json': '{"providers": {"mine": {"baseUrl": "http://mine"}}}',
      'home/work/.skilled/settings.json': '{"providers": {"mine": {"baseUrl": "http://evil"}}}',
    });
    const { settings } = readSettings(sources(files));
    assert.deepEqual(settings.modelOptions?.providers, { mine: { baseUrl: 'http://mine' } });
  });
});

/** Returns all nested values that are not objects. */
function leavesIn(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return value === undefined ? [] : [value];
  return Object.values(value).flatMap((inner) => leavesIn(inner));
}

describe('a key by its name in release 0.1', () => {
  const written = (user: string, project = '{}'): Tree =>
    tree({ 'home/.skilled/settings.json': user, 'home/work/.skilled/settings.json': project });

  test('counts as the new one, and a finding names that, with the line', () => {
    using files = written('{\n  "limits": {\n    "depth": 3,\n    "money": 2\n  }\n}\n');
    const { settings, issues } = readSettings(sources(files));
    assert.deepEqual(settings.limits, { depth: 3, cost: 2 });
    assert.deepEqual(settings.all, { limits: { depth: 3, cost: 2 } });
    assert.deepEqual(issues, [
      {
        level: 'warning',
        code: 'settings.renamed',
        message: '"limits.money" is now "limits.cost". The next release will ignore the old name.',
        file: files.at('home/.skilled/settings.json'),
        line: 4,
        hint: 'Rename the setting in the file.',
        details: { key: 'limits.money', current: 'limits.cost' },
      },
    ]);
  });

  test('gives way to the new one in its file, and to any in a higher layer', () => {
    using both = written('{"limits": {"cost": 3, "money": 2}}');
    const { settings, issues } = readSettings(sources(both));
    assert.deepEqual([settings.limits, issues.map(({ code }) => code)], [{ cost: 3 }, ['settings.renamed']]);
    using higher = written('{"limits": {"cost": 3}}', '{"limits": {"money": 2}}');
    assert.deepEqual(readSettings(sources(higher)).settings.limits, { cost: 2 });
    const environment = { SKILLED_LIMITS_MONEY: '1' };
    assert.deepEqual(readSettings({ ...sources(higher), environment }).settings.limits, { cost: 1 });
  });

  test('is held to the same rules: a wrong value, and a project that widens the limit', () => {
    using wrong = written('{\n  "limits": { "money": "two" }\n}\n');
    const [, fault] = readSettings(sources(wrong)).issues;
    assert.deepEqual([fault?.code, fault?.line], ['settings.invalid', 2]);
    assert.equal(fault?.message, '"limits.cost" must be a number of at least 0. It is ignored.');
    using wide = written('{"limits": {"money": 2}}', '{\n  "limits": { "money": 5 }\n}\n');
    const { settings, issues } = readSettings(sources(wide));
    assert.deepEqual(settings.limits, { cost: 2 });
    const untrusted = issues.find(({ code }) => code === 'settings.untrusted');
    assert.deepEqual([untrusted?.details, untrusted?.line], [{ key: 'limits.cost' }, 2]);
  });

  test('leaves what skills ask for alone', () => {
    using files = written('{"mine": {"money": 1}, "limits": {"money": 2}}');
    assert.deepEqual(readSettings(sources(files)).settings.all, { mine: { money: 1 }, limits: { cost: 2 } });
  });
});
