import assert from 'node:assert/strict';
import { chmodSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter } from 'node:path';
import { describe, test } from 'node:test';
import { bareWorld } from '../../../test/support/registry.ts';
import { tree, type Tree } from '../../../test/support/tree.ts';
import type { Requirements, Source } from '../../core/skill.ts';
import { binariesOn, whatIsMissing, type World } from './eligibility.ts';
import type { SkillSettings } from './skill-settings.ts';

function missing(
  requires: Requirements,
  world: Partial<World> = {},
  subject: { readonly name?: string; readonly source?: Source } = {},
): readonly string[] {
  const skill = { name: 'tool', source: 'project', requires, ...subject } as const;
  return whatIsMissing(skill, { ...bareWorld, ...world }).map(({ kind, name }) => `${kind} ${name}`);
}

function hints(
  requires: Requirements,
  world: Partial<World> = {},
  source: Source = 'user',
): readonly string[] {
  return whatIsMissing({ name: 'tool', source, requires }, { ...bareWorld, ...world }).map(
    ({ hint }) => hint,
  );
}

function only(...names: readonly string[]): Pick<World, 'hasBinary'> {
  return { hasBinary: (name) => names.includes(name) };
}

describe('os', () => {
  const cases: readonly (readonly [os: readonly string[], platform: string, fits: boolean])[] = [
    [['linux'], 'linux', true],
    [['darwin'], 'linux', false],
    [['darwin', 'linux'], 'linux', true],
    [['macos'], 'darwin', true],
    [['macOS '], 'darwin', true],
    [['windows'], 'win32', true],
    [['win32'], 'win32', true],
    [['constructor'], 'linux', false],
    [['__proto__'], 'linux', false],
  ];
  for (const [os, platform, fits] of cases) {
    test(`${os.join(', ')} on ${platform}`, () =>
      assert.deepEqual(missing({ os }, { platform }), fits ? [] : [`os ${os.join(', ')}`]));
  }

  test('is not passed by always', () =>
    assert.deepEqual(missing({ os: ['darwin'], always: true }), ['os darwin']));
});

describe('bins', () => {
  test('all of bins', () => {
    assert.deepEqual(missing({ bins: ['git', 'jq'] }, only('git')), ['bin jq']);
    assert.deepEqual(missing({ bins: ['git', 'jq'] }, only('git', 'jq')), []);
  });

  test('one of anyBins', () => {
    assert.deepEqual(missing({ anyBins: ['rg', 'grep'] }), ['bin rg | grep']);
    assert.deepEqual(missing({ anyBins: ['rg', 'grep'] }, only('grep')), []);
    assert.deepEqual(missing({ anyBins: [] }), []);
  });

  test('are passed by always', () =>
    assert.deepEqual(missing({ bins: ['jq'], anyBins: ['x'], always: true }), []));

  test('say how to get them', () => {
    assert.deepEqual(hints({ bins: ['jq'], anyBins: ['rg', 'grep'] }), [
      'Install "jq" and make sure that it is on PATH.',
      'Install one of rg, grep.',
    ]);
  });
});

describe('env', () => {
  const needs: Requirements = { env: ['SERVICE_URL'] };
  const secret: Requirements = { env: ['API_KEY'], primaryEnv: 'API_KEY' };
  const entry = (value: NonNullable<SkillSettings['entries']>[string]): Partial<World> => ({
    skills: { entries: { tool: value } },
  });

  test('the host has it', () => assert.deepEqual(missing(needs, { environment: { SERVICE_URL: 'x' } }), []));

  test('a blank one is not there', () => {
    assert.deepEqual(missing(needs, { environment: { SERVICE_URL: '  ' } }), ['env SERVICE_URL']);
    assert.deepEqual(missing(needs, { environment: { SERVICE_URL: undefined } }), ['env SERVICE_URL']);
    assert.deepEqual(missing(needs, entry({ env: { SERVICE_URL: ' ' } })), ['env SERVICE_URL']);
  });

  test('the settings give it', () => {
    assert.deepEqual(missing(needs, entry({ env: { SERVICE_URL: 'http://x' } })), []);
    assert.deepEqual(missing(needs, entry({ env: { OTHER: 'x' } })), ['env SERVICE_URL']);
  });

  test('the settings take it from another variable', () => {
    const given = entry({ env: { SERVICE_URL: { env: 'MINE' } } });
    assert.deepEqual(missing(needs, { ...given, environment: { MINE: 'x' } }), []);
    assert.deepEqual(hints(needs, given), [
      'Set the environment variable MINE, which the settings use for SERVICE_URL.',
    ]);
  });

  test('apiKey fills the primary variable, and no other', () => {
    const given = entry({ apiKey: { env: 'MINE' } });
    const environment = { MINE: 'x' };
    assert.deepEqual(missing(secret, { ...given, environment }), []);
    assert.deepEqual(missing({ env: ['API_KEY'], primaryEnv: 'OTHER_KEY' }, { ...given, environment }), [
      'env API_KEY',
    ]);
    assert.deepEqual(missing({ env: ['API_KEY'] }, { ...given, environment }), ['env API_KEY']);
    assert.deepEqual(missing(secret, { ...given, environment: { MINE: ' ' } }), ['env API_KEY']);
  });

  test('what a run would refuse does not count as given', () => {
    assert.deepEqual(missing(secret, entry({ apiKey: 'sk-secret' })), ['env API_KEY']);
    assert.deepEqual(missing(secret, entry({ env: { API_KEY: 'sk-secret' } })), ['env API_KEY']);
    assert.deepEqual(missing({ env: ['NODE_OPTIONS'] }, entry({ env: { NODE_OPTIONS: '--x' } })), [
      'env NODE_OPTIONS',
    ]);
    const [hint] = hints(secret, entry({ apiKey: 'sk-secret' }));
    assert.match(hint ?? '', /is not used: a secret must name its environment variable/);
    assert.doesNotMatch(hint ?? '', /sk-secret/);
  });

  test('names on the prototype are just names', () => {
    const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty'];
    const all = names.map((name) => `env ${name}`);
    assert.deepEqual(missing({ env: names }), all);
    assert.deepEqual(missing({ env: names }, entry({ env: {} })), all);
    assert.deepEqual(
      missing({ env: ['toString'] }, { environment: { toString: 'x' } as unknown as World['environment'] }),
      [],
    );
    const reference = entry({ env: { SERVICE_URL: { env: 'constructor' } } });
    assert.deepEqual(missing(needs, reference), ['env SERVICE_URL']);
  });

  test('say where it can come from', () => {
    assert.deepEqual(hints(needs), [
      'Set the environment variable SERVICE_URL, or set skills.entries.tool.env.SERVICE_URL in the settings.',
    ]);
    assert.deepEqual(hints({ ...secret, skillKey: 'key' }), [
      'Set the environment variable API_KEY, or set skills.entries.key.apiKey in the settings.',
    ]);
  });

  test('is passed by always', () => assert.deepEqual(missing({ ...needs, always: true }), []));
});

describe('config', () => {
  const settings = {
    browser: { enabled: true, off: false, zero: 0, blank: '', none: null, list: [], map: {} },
    'a.b': 1,
  };
  const cases: readonly (readonly [path: string, fits: boolean])[] = [
    ['browser', true],
    ['browser.enabled', true],
    ['browser.off', false],
    ['browser.zero', false],
    ['browser.blank', false],
    ['browser.none', false],
    ['browser.list', true],
    ['browser.map', true],
    ['browser.missing', false],
    ['browser.enabled.deeper', false],
    ['missing.enabled', false],
    ['a.b', false],
    ['', false],
    ['constructor', false],
    ['__proto__', false],
    ['browser.constructor.name', false],
    ['browser.list.length', false],
  ];
  for (const [path, fits] of cases) {
    test(`"${path}" is ${fits ? 'there' : 'missing'}`, () =>
      assert.deepEqual(missing({ config: [path] }, { settings }), fits ? [] : [`config ${path}`]));
  }

  test('say where to set it', () =>
    assert.deepEqual(hints({ config: ['x.y'] }), ['Set "x.y" in the settings.']));
});

describe('settings', () => {
  const off = ['disabled tool'];

  test('switch a skill off by its name, in any spelling', () => {
    assert.deepEqual(missing({}, { skills: { entries: { tool: { enabled: false } } } }), off);
    assert.deepEqual(missing({}, { skills: { entries: { 'Tool!': { enabled: false } } } }), off);
    const both = { tool: { env: {} }, Tool: { enabled: false } };
    assert.deepEqual(missing({}, { skills: { entries: both } }), off, 'no other spelling takes it back');
    assert.deepEqual(missing({}, { skills: { entries: { other: { enabled: false } } } }), []);
    assert.deepEqual(missing({}, { skills: { entries: { tool: { enabled: true } } } }), []);
  });

  test('speak of a skill by its skillKey first, else by its name', () => {
    const requires = { skillKey: 'vendor.tool' };
    const user = { source: 'user' } as const;
    const offIn = (entries: SkillSettings['entries'] & object): readonly string[] =>
      missing(requires, { skills: { entries } }, user);
    assert.deepEqual(offIn({ 'vendor.tool': { enabled: false } }), off);
    assert.deepEqual(offIn({ tool: { enabled: false } }), off);
    assert.deepEqual(offIn({ 'vendor.tool': { enabled: true }, tool: { enabled: false } }), []);
  });

  test('are not for a skill from elsewhere that takes the key of another one', () => {
    const requires = { skillKey: 'github', env: ['GITHUB_TOKEN'], primaryEnv: 'GITHUB_TOKEN' };
    const environment = { MY_TOKEN: 'secret' };
    const entries = { github: { apiKey: { env: 'MY_TOKEN' }, enabled: true }, tool: { enabled: false } };
    for (const source of ['project', 'plugin', 'mcp'] as const) {
      const world = { environment, skills: { entries } };
      assert.deepEqual(missing(requires, world, { source }), [...off, 'env GITHUB_TOKEN'], source);
      assert.match(hints(requires, { skills: {} }, source)[0] ?? '', /skills\.entries\.tool\.apiKey/);
      const both = { ...entries, tool: {}, github: { enabled: false } };
      assert.deepEqual(missing({ skillKey: 'github' }, { skills: { entries: both } }, { source }), off);
    }
  });

  test('names on the prototype have no entry', () => {
    const world = { skills: { entries: {} } };
    for (const name of ['constructor', '__proto__', 'toString'])
      assert.deepEqual(missing({}, world, { name }), []);
  });

  test('always does not pass a skill that is switched off', () => {
    assert.deepEqual(missing({ always: true }, { skills: { entries: { tool: { enabled: false } } } }), off);
  });

  test('allowBundled restricts bundled skills only; an empty list allows none', () => {
    const bundled = { source: 'bundled' } as const;
    assert.deepEqual(missing({}, { skills: { allowBundled: [] } }, bundled), off);
    assert.deepEqual(missing({}, { skills: { allowBundled: ['other'] } }, bundled), off);
    assert.deepEqual(missing({}, { skills: { allowBundled: ['Tool'] } }, bundled), []);
    assert.deepEqual(missing({}, { skills: { allowBundled: [] } }), []);
  });

  test('only and except', () => {
    assert.deepEqual(missing({}, { skills: { only: ['TOOL'] } }), []);
    assert.deepEqual(missing({}, { skills: { only: ['other'] } }), off);
    assert.deepEqual(missing({}, { skills: { only: [] } }), off);
    assert.deepEqual(missing({}, { skills: { except: ['tool'] } }), off);
    assert.deepEqual(missing({}, { skills: { except: ['other'] } }), []);
    assert.deepEqual(missing({}, { skills: { only: ['tool'], except: ['tool'] } }), off);
  });

  test('say which of them it was', () => {
    const world = (skills: SkillSettings): Partial<World> => ({ skills });
    assert.match(
      hints({}, world({ entries: { 'Tool!': { enabled: false } } }))[0] ?? '',
      /skills\.entries\.Tool!\.enabled/,
    );
    assert.match(hints({}, world({ only: [] }))[0] ?? '', /skills\.only/);
    assert.match(hints({}, world({ except: ['tool'] }))[0] ?? '', /skills\.except/);
  });
});

test('everything that is missing is named, not only the first', () => {
  const requires = { os: ['darwin'], bins: ['a', 'b'], anyBins: ['c'], env: ['D'], config: ['e'] };
  const world = { skills: { except: ['tool'] } };
  assert.deepEqual(missing(requires, world), [
    'disabled tool',
    'os darwin',
    'bin a',
    'bin b',
    'bin c',
    'env D',
    'config e',
  ]);
});

function program(files: Tree, name: string): void {
  chmodSync(files.write(name, '#!/bin/sh\n'), 0o755);
}

test('a program on the PATH is found, a file that cannot be run and a folder are not', () => {
  using files = tree({ 'b/plain': '', 'b/folder/x': '' });
  program(files, 'b/tool');
  symlinkSync(files.at('b/tool'), files.at('b/link'));
  symlinkSync(files.at('b/gone'), files.at('b/dangling'));
  const binaries = binariesOn(() => [files.at('a'), files.at('b')].join(delimiter));
  assert.equal(binaries.has('tool'), true);
  assert.equal(binaries.has('link'), true);
  for (const name of ['plain', 'folder', 'dangling', 'missing'])
    assert.equal(binaries.has(name), false, name);
});

test('names that lead elsewhere are never found', () => {
  using files = tree();
  program(files, 'bin/tool');
  program(files, 'outside');
  const binaries = binariesOn(() => files.at('bin'));
  for (const name of ['../outside', files.at('bin/tool'), './tool', 'bin/tool', '', '..', '.', 'tool\0']) {
    assert.equal(binaries.has(name), false, name);
  }
});

test('empty and relative parts of the PATH are not looked in', () => {
  using files = tree();
  program(files, 'bin/tool');
  const before = process.cwd();
  process.chdir(files.at('bin'));
  try {
    assert.equal(binariesOn(() => ['', '.', '../bin'].join(delimiter)).has('tool'), false);
  } finally {
    process.chdir(before);
  }
});

test('hits and misses are remembered until told to forget', () => {
  using files = tree();
  program(files, 'bin/here');
  let path = files.at('bin');
  const binaries = binariesOn(() => path);
  assert.deepEqual([binaries.has('here'), binaries.has('later')], [true, false]);
  program(files, 'bin/later');
  rmSync(files.at('bin/here'));
  assert.deepEqual([binaries.has('here'), binaries.has('later')], [true, false]);
  binaries.forget();
  assert.deepEqual([binaries.has('here'), binaries.has('later')], [false, true]);
  path = '';
  assert.equal(binaries.has('later'), true);
  binaries.forget();
  assert.equal(binaries.has('later'), false);
});

test('extensions are tried where the system has them', () => {
  using files = tree();
  program(files, 'bin/tool.EXE');
  assert.equal(binariesOn(() => files.at('bin'), ['.COM', '.EXE']).has('tool'), true);
  assert.equal(binariesOn(() => files.at('bin')).has('tool'), false);
});
