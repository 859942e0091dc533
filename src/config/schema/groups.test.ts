import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tree, type Tree } from '../../../test/support/tree.ts';
import { explainSetting } from '../read/layers.ts';
import { readLayers, readSettings, type SettingsSources } from '../read/settings.ts';

interface Layers {
  readonly user?: object | string;
  readonly project?: object | string;
  readonly local?: object | string;
}

function written({ user = {}, project = {}, local = {} }: Layers): Tree {
  const text = (layer: object | string): string =>
    typeof layer === 'string' ? layer : JSON.stringify(layer);
  return tree({
    'home/.skilled/settings.json': text(user),
    'home/work/.skilled/settings.json': text(project),
    'home/work/.skilled/settings.local.json': text(local),
  });
}

function sourcesIn(files: Tree): SettingsSources {
  return { startDir: files.at('home/work'), userFolder: files.at('home/.skilled'), home: files.at('home') };
}

describe('rules of permissions', () => {
  test('of all layers count together, each once', () => {
    using files = written({
      user: { permissions: { allow: ['Read'], ask: ['Write'], deny: ['Bash(rm *)', 'WebFetch'] } },
      project: { permissions: { ask: ['Edit'], deny: ['Bash(curl *)', 'WebFetch'] } },
      local: { permissions: { ask: [], deny: ['Skill(deploy)'] } },
    });
    const { settings, issues } = readSettings(sourcesIn(files));
    assert.deepEqual(issues, []);
    assert.deepEqual(settings.permissions, {
      allow: ['Read'],
      ask: ['Write', 'Edit'],
      deny: ['Bash(rm *)', 'WebFetch', 'Bash(curl *)', 'Skill(deploy)'],
    });
  });

  test('that are none are named with their line, and the others of the list count', () => {
    using files = written({
      user: '{\n  "permissions": {\n    "deny": [\n      "Bash(rm *)",\n      "Bash(",\n      7,\n      "Edit"\n    ],\n    "ask": "Write"\n  }\n}',
    });
    const { settings, issues } = readSettings(sourcesIn(files));
    assert.deepEqual(settings.permissions, { deny: ['Bash(rm *)', 'Edit'] });
    const rule =
      'must be a rule such as "Read", "Bash(git diff *)" or "Skill(name)". No run starts until it is fixed.';
    assert.deepEqual(
      issues.map(({ code, message, line }) => [code, message, line]),
      [
        ['settings.invalid', `"permissions.deny.1" ${rule}`, 5],
        ['settings.invalid', `"permissions.deny.2" ${rule}`, 6],
        ['settings.invalid', `"permissions.ask" ${rule.replace('a rule', 'a list of rules')}`, 9],
      ],
    );
  });

  test('that deny or ask for a tool that does not exist are named as data; one that allows it only allows nothing', () => {
    using files = written({
      user: '{"permissions": {\n"deny": ["Bsh(rm *)",\n"delete-file"],\n"ask": ["mcp__files"],\n"allow": ["Raed"]}}',
    });
    const { issues } = readSettings(sourcesIn(files));
    const file = files.at('home/.skilled/settings.json');
    assert.deepEqual(
      issues.map(({ code, level, file: at, line, details }) => [code, level, at === file, line, details]),
      [
        [
          ...['settings.invalid', 'error', true, 2],
          { key: 'permissions.deny.0', rule: 'Bsh(rm *)', near: ['Bash'], tool: 'Bsh', blocksRuns: true },
        ],
        [
          ...['settings.invalid', 'error', true, 3],
          { key: 'permissions.deny.1', rule: 'delete-file', near: [], tool: 'delete-file', blocksRuns: true },
        ],
        [
          ...['settings.invalid', 'error', true, 4],
          { key: 'permissions.ask.0', rule: 'mcp__files', near: [], tool: 'mcp__files', blocksRuns: true },
        ],
      ],
    );
    assert.deepEqual(
      issues.map(({ hint }) => hint),
      [
        'Did you mean "Bash"?',
        'Known tools: Read, Write, Edit, Glob, Grep, Bash, WebFetch, AskUser, FindSkills. For a skill, write Skill(delete-file).',
        'Use mcp__files__* to match all tools of that server.',
      ],
    );
  });

  test('in a file that is not JSON also block runs', () => {
    using files = written({ user: '{"permissions": {"deny": ["Bash"]', project: '{"x": ' });
    assert.deepEqual(
      readSettings(sourcesIn(files)).issues.map(({ details }) => details?.['blocksRuns']),
      [true, undefined],
    );
  });

  test('under a misspelt key are a finding: they would silently not apply', () => {
    using files = written({ user: { permissions: { denny: ['Bash'] } } });
    const { settings, issues } = readSettings(sourcesIn(files));
    assert.equal(settings.permissions, undefined);
    assert.deepEqual(
      issues.map(({ message }) => message),
      [
        '"permissions.denny" must be the name of a permission setting (Did you mean "deny"). No run starts until it is fixed.',
      ],
    );
  });

  test('are explained with every layer that they come from', () => {
    using files = written({
      user: { permissions: { deny: ['Edit'] } },
      project: { permissions: { deny: ['Write'] } },
    });
    const { layers } = readLayers(sourcesIn(files));
    const { value, says } = explainSetting(['permissions', 'deny'], layers);
    assert.deepEqual(value, ['Edit', 'Write']);
    assert.deepEqual(
      says.map(({ layer, wins }) => [layer, wins]),
      [
        ['project', true],
        ['user', true],
      ],
    );
  });
});

describe('a project that is not trusted', () => {
  const loose = {
    permissions: { allow: ['Bash'], ask: ['Read'], deny: ['Edit'], approvalHours: 48 },
    sandbox: 'auto',
    skills: {
      entries: {
        a: {
          enabled: true,
          hosts: ['*'],
          read: ['/etc'],
          workspace: 'write',
          processes: true,
          override: { tools: ['bash'] },
        },
      },
    },
  };

  for (const layer of ['project', 'local'] as const) {
    test(`can only tighten: ${layer}`, () => {
      using files = written({ user: { sandbox: 'required' }, [layer]: loose });
      const { settings, issues } = readSettings(sourcesIn(files));
      assert.deepEqual(settings.permissions, { ask: ['Read'], deny: ['Edit'] });
      assert.deepEqual(
        [settings.approvalHours, settings.sandbox, settings.skills?.entries],
        [undefined, 'required', { a: { enabled: true } }],
      );
      const named = issues.map(({ code, message }) => [code, /"([^"]*)"/.exec(message)?.[1]]);
      assert.deepEqual(named, [
        ['settings.untrusted', 'permissions.allow'],
        ['settings.untrusted', 'permissions.approvalHours'],
        ['settings.untrusted', 'sandbox'],
        ['settings.untrusted', 'skills.entries.a.hosts'],
        ['settings.untrusted', 'skills.entries.a.read'],
        ['settings.untrusted', 'skills.entries.a.workspace'],
        ['settings.untrusted', 'skills.entries.a.processes'],
        ['settings.untrusted', 'skills.entries.a.override'],
      ]);
      for (const { hint } of issues) assert.match(hint ?? '', /`skilled trust grant \.`/);
    });
  }

  test('may insist on a sandbox and shorten the time for decisions', () => {
    using files = written({
      user: { permissions: { approvalHours: 10 } },
      project: { sandbox: 'required', permissions: { approvalHours: 9.5, allow: [] } },
      local: { permissions: { approvalHours: 11 } },
    });
    const { settings, issues } = readSettings(sourcesIn(files));
    assert.deepEqual([settings.sandbox, settings.approvalHours], ['required', 9.5]);
    assert.equal(issues.length, 1);
  });
});

describe('what processes of a skill may reach', () => {
  test('is a list of hosts and of folders; what is neither is left out', () => {
    const hosts = ['example.org', '*.example.org', 'localhost:8080', '127.0.0.1', '[::1]:80', '*'];
    const read = ['/usr/share', '~/notes'];
    const wrong = { hosts: ['http://x', 'a b', '', 'x/y', '*x'], read: ['notes', '../x', '~bob/x', ''] };
    using files = written({
      user: { skills: { entries: { a: { hosts, read }, b: wrong } } },
    });
    const { settings, issues } = readSettings(sourcesIn(files));
    assert.deepEqual(settings.skills?.entries, { a: { hosts, read }, b: { hosts: [], read: [] } });
    assert.equal(issues.length, 9);
  });

  test('is the workspace to read or to write, and processes of its own', () => {
    const a = { workspace: 'read', processes: true };
    const b = { workspace: 'write', processes: false };
    const wrong = { workspace: 'all', processes: 'yes' };
    using files = written({ user: { skills: { entries: { a, b, wrong } } } });
    const { settings, issues } = readSettings(sourcesIn(files));
    assert.deepEqual(settings.skills?.entries, { a, b, wrong: {} });
    assert.equal(issues.length, 2);
  });

  test('hours and the mode of sandboxes have their kinds', () => {
    for (const values of [
      { permissions: { approvalHours: 0 } },
      { permissions: { approvalHours: '1' } },
      { sandbox: 'off' },
    ]) {
      using files = written({ user: values });
      const { settings, issues } = readSettings(sourcesIn(files));
      assert.deepEqual([settings.approvalHours, settings.sandbox, issues.length], [undefined, undefined, 1]);
    }
  });
});

describe('a project that nobody trusts', () => {
  const user = {
    skills: {
      only: ['a', 'b', 'shut'],
      except: ['Shut'],
      allowBundled: ['read'],
      entries: {
        a: { enabled: false },
        b: { apiKey: { env: 'MY_KEY' }, env: { SERVER: 'https://own.example' } },
      },
    },
  };

  test('lets in no skill that its user shut out, and leads none that has a secret elsewhere', () => {
    using files = written({
      user,
      project: {
        skills: {
          only: ['a', 'b', 'c'],
          except: [],
          allowBundled: ['read', 'bash'],
          entries: { a: { enabled: true }, b: { env: { SERVER: 'https://evil.example' } } },
        },
      },
    });
    const { settings, issues } = readSettings(sourcesIn(files));
    assert.deepEqual(settings.skills, user.skills);
    assert.deepEqual(
      issues.map(({ code, message }) => [code, /"(.*?)"/.exec(message)?.[1]]),
      [
        ['settings.untrusted', 'skills.allowBundled'],
        ['settings.untrusted', 'skills.only'],
        ['settings.untrusted', 'skills.except'],
        ['settings.untrusted', 'skills.entries.a.enabled'],
        ['settings.untrusted', 'skills.entries.b.env.SERVER'],
      ],
    );
  });

  test('may shut out more', () => {
    const skills = {
      only: ['A'],
      except: ['shut', 'c'],
      allowBundled: [],
      entries: { b: { enabled: false }, c: { config: { tray: 2 } } },
    };
    using files = written({ user, project: { skills } });
    const { settings, issues } = readSettings(sourcesIn(files));
    assert.deepEqual(issues, []);
    const { only, except, allowBundled, entries } = settings.skills ?? {};
    assert.deepEqual([only, except, allowBundled], [skills.only, skills.except, skills.allowBundled]);
    assert.equal(entries?.['b']?.enabled, false);
  });
});
