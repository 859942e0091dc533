import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { tree, type Tree } from '../../test/support/tree.ts';
import { trustProject } from '../../test/support/trust-project.ts';
import { readSettings, findIgnoredKeys, type SettingsSources } from './read/settings.ts';
import {
  isInTrustedProject,
  isTrustedProject,
  prepareTrustUpdate,
  projectDigest,
  projectState,
  trustedVariables,
  userTrustBook,
} from './trust.ts';
import { setInJson } from './write/edit-json.ts';
import { writeSetting } from './write/write-setting.ts';

const projectSettings = '{"permissions": {"allow": ["Bash"]}, "sandbox": "auto"}';

function project(more: Readonly<Record<string, string>> = {}): Tree {
  return tree({
    'home/.skilled/settings.json': '{"sandbox": "required", "permissions": {"deny": ["Edit"]}}',
    'home/work/.skilled/settings.json': projectSettings,
    ...more,
  });
}

function sourcesIn(files: Tree, dir = 'home/work'): SettingsSources {
  return { startDir: files.at(dir), userFolder: files.at('home/.skilled'), home: files.at('home') };
}

function grant(files: Tree, dir?: string): Promise<void> {
  return trustProject(sourcesIn(files, dir));
}

function isTrusted(files: Tree, dir?: string): boolean {
  const { settings, issues } = readSettings(sourcesIn(files, dir));
  assert.equal(issues.length === 0, settings.permissions?.allow !== undefined);
  return issues.length === 0;
}

describe('a trusted project', () => {
  test('is believed wholly, but what its user denies stays denied', async () => {
    using files = project();
    assert.equal(isTrusted(files), false);
    await grant(files);
    const { settings } = readSettings(sourcesIn(files));
    assert.deepEqual(settings.permissions, { deny: ['Edit'], allow: ['Bash'] });
    assert.equal(settings.sandbox, 'auto');
    mkdirSync(files.at('home/work/deep'));
    assert.equal(isTrusted(files, 'home/work/deep'), true);
  });

  const changes: Readonly<Record<string, (files: Tree) => void>> = {
    'a byte of its settings': (files) =>
      void files.write('home/work/.skilled/settings.json', `${projectSettings} `),
    'its local settings': (files) => void files.write('home/work/.skilled/settings.local.json', '{}'),
    'its servers': (files) => void files.write('home/work/.mcp.json', '{}'),
    'a key in its .env': (files) => void files.write('home/work/.env', 'OPENAI_API_KEY=other\n'),
    'an address in its .env': (files) =>
      void files.write('home/work/.env', 'OPENAI_API_KEY=x\nOPENAI_BASE_URL=http://evil\n'),
    'its place': (files) => {
      renameSync(files.at('home/work'), files.at('home/elsewhere'));
      symlinkSync(files.at('home/elsewhere'), files.at('home/work'));
    },
    'what its settings link to': (files) => {
      files.write('home/work/real.json', `${projectSettings}\n`);
      rmSync(files.at('home/work/.skilled/settings.json'));
      symlinkSync('../real.json', files.at('home/work/.skilled/settings.json'));
    },
  };
  for (const [what, change] of Object.entries(changes)) {
    test(`is not believed any more after a change of ${what}`, async () => {
      using files = project({ 'home/work/.env': 'OPENAI_API_KEY=x\n' });
      await grant(files);
      assert.equal(isTrusted(files), true);
      change(files);
      assert.equal(isTrusted(files), false);
    });
  }

  test('stays trusted when its .env changes in what decides about no model', async () => {
    using files = project({ 'home/work/.env': 'OPENAI_API_KEY=x\nPORT=1\n' });
    await grant(files);
    files.write('home/work/.env', '# mine\nPORT=2\nDATABASE_URL=y\nOPENAI_API_KEY="x"\n');
    assert.equal(isTrusted(files), true);
  });

  test('is one by a .env alone, and only its variables for models and servers of its settings count', async () => {
    const text = 'OPENAI_API_KEY=x\nOPENAI_BASE_URL=http://a\nOFFICE_KEY=y\nPORT=1\n';
    using files = tree({ 'home/.skilled/x': '', 'home/work/.env': text, 'home/other/.env': 'PORT=1\n' });
    const names = (): readonly string[] => [...trustedVariables(sourcesIn(files)).keys()];
    assert.deepEqual(names(), []);
    assert.deepEqual(findIgnoredKeys(sourcesIn(files)), ['.env OPENAI_API_KEY', '.env OPENAI_BASE_URL']);
    await grant(files);
    assert.deepEqual(names(), ['OPENAI_API_KEY', 'OPENAI_BASE_URL']);
    assert.deepEqual(findIgnoredKeys(sourcesIn(files)), []);
    files.write(
      'home/work/.skilled/settings.json',
      '{"providers": {"office": {"baseUrl": "http://o", "apiKeyEnv": "OFFICE_KEY"}}}',
    );
    assert.deepEqual(names(), []);
    await grant(files);
    assert.deepEqual(names(), ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OFFICE_KEY']);
    await assert.rejects(grant(files, 'home/other'));
  });

  test('does not make another folder with the same bytes trusted', async () => {
    using files = project({ 'home/copy/.skilled/settings.json': projectSettings });
    await grant(files);
    assert.equal(isTrusted(files, 'home/copy'), false);
  });

  test('stays trusted over a change that its user makes, and over no other', async () => {
    using files = project();
    await grant(files);
    const target = { layer: 'local', file: files.at('home/work/.skilled/settings.local.json') } as const;
    const change = (text: string): string => setInJson(text, ['sandbox'], 'auto');
    const updateTrust = prepareTrustUpdate(target, sourcesIn(files), change);
    writeSetting(target, ['sandbox'], 'auto');
    assert.equal(isTrusted(files), false);
    await updateTrust();
    assert.equal(isTrusted(files), true);
    const again = prepareTrustUpdate(target, sourcesIn(files), change);
    files.write('home/work/.skilled/settings.json', projectSettings.replace('Bash', 'Write'));
    await again();
    assert.equal(isTrusted(files), false);
  });

  test('that was not trusted does not become trusted by a change of its user', async () => {
    using files = project();
    const target = { layer: 'project', file: files.at('home/work/.skilled/settings.json') } as const;
    await prepareTrustUpdate(target, sourcesIn(files), (text) => text)();
    assert.deepEqual(userTrustBook(sourcesIn(files)).list().projects, []);
    assert.equal(isInTrustedProject(target, sourcesIn(files)), false);
  });

  test('is none without a file to trust, nor by something that is not a file', () => {
    using files = tree({ 'home/work/x': '' });
    mkdirSync(files.at('home/work/.skilled'));
    execFileSync('mkfifo', [files.at('home/work/.skilled/settings.json')]);
    const state = projectState(sourcesIn(files));
    assert.ok(state !== undefined);
    assert.equal(projectDigest(state), undefined);
    assert.equal(isTrustedProject(state, userTrustBook({})), false);
  });

  test('is not believed when the trust file cannot be', async () => {
    using files = project();
    await grant(files);
    files.write('home/.skilled/trust.json', '{');
    assert.equal(isTrusted(files), false);
  });
});
