import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../../test/support/bubblewrap.ts';
import { projectRoot } from '../../test/support/source-file.ts';
import { tree } from '../../test/support/tree.ts';
import { defaultPorts, openSandboxes } from './defaults.ts';
import { cacheFolder, homeFolder, userFolder } from './paths.ts';
import { RecursiveSkilledAgent, loadSkill, parseSkill } from './preset.ts';
import { readColorMode, ownPackage } from './program.ts';

describe('the folders of a user', () => {
  test('HOME, else the account', () => {
    assert.equal(homeFolder({ HOME: '/h/' }), '/h');
    for (const HOME of ['', 'relative', undefined]) assert.equal(homeFolder({ HOME }), userInfo().homedir);
  });

  test('settings: SKILLED_HOME, else the XDG folder if it is there, else ~/.skilled', () => {
    using files = tree({ 'config/skilled/settings.json': '{}', 'bare/x': '' });
    assert.equal(userFolder({ SKILLED_HOME: '/s', XDG_CONFIG_HOME: files.at('config') }, '/h'), '/s');
    assert.equal(
      userFolder({ SKILLED_HOME: '', XDG_CONFIG_HOME: files.at('config') }, '/h'),
      files.at('config/skilled'),
    );
    assert.equal(userFolder({ XDG_CONFIG_HOME: files.at('bare') }, '/h'), '/h/.skilled');
    assert.equal(userFolder({ XDG_CONFIG_HOME: 'relative' }, '/h'), '/h/.skilled');
    assert.equal(userFolder({}, undefined), undefined);
  });

  test('cache: the XDG folder, else ~/.cache, never a relative one', () => {
    assert.equal(cacheFolder({ XDG_CACHE_HOME: '/c' }, '/h'), '/c/skilled');
    assert.equal(cacheFolder({ XDG_CACHE_HOME: 'relative' }, '/h'), '/h/.cache/skilled');
    assert.equal(cacheFolder({ XDG_CACHE_HOME: '' }, undefined), undefined);
  });
});

test('colours: NO_COLOR, then FORCE_COLOR, then the terminal', () => {
  assert.equal(readColorMode({}), 'auto');
  assert.equal(readColorMode({ NO_COLOR: '1', FORCE_COLOR: '1' }), 'never');
  assert.equal(readColorMode({ NO_COLOR: '' }), 'auto');
  assert.equal(readColorMode({ FORCE_COLOR: '1' }), 'always');
  assert.equal(readColorMode({ FORCE_COLOR: '0' }), 'never');
  assert.equal(readColorMode({ TERM: 'dumb' }), 'never');
});

test('the package finds itself when it runs from source', () => {
  const own = ownPackage();
  assert.equal(own.root, projectRoot);
  assert.match(own.version, /^\d+\.\d+\.\d+/);
  assert.equal(own.fromSource, true);
  assert.equal(defaultPorts({}).bundledRoot, join(own.root, 'skills'));
});

test('the preset needs no options, and reads nothing without them', async () => {
  await using agent = await new RecursiveSkilledAgent().ready();
  assert.ok(agent.skills.list().every((skill) => skill.source === 'bundled'));
});

test('loadSkill rejects, parseSkill throws', async () => {
  await assert.rejects(loadSkill('/no/such/skill'), { code: 'usage.not-found' });
  assert.throws(() => parseSkill(''), { code: 'skill.invalid' });
  assert.equal(parseSkill('---\nname: a\n---\nDo it.').name, 'a');
});

const grant = { read: [], write: [], hosts: [], environment: { PATH: '/usr/bin:/bin' } };
const isSandboxed = withoutBubblewrap === false;

test('processes run contained where the machine can do it, and else without', async () => {
  const sandboxes = openSandboxes('auto');
  assert.equal(await sandboxes.contains(), isSandboxed);
  const sandbox = await sandboxes.open(grant);
  const { exitCode } = await sandbox.run({ program: 'true', arguments: [] }, new AbortController().signal);
  assert.equal(exitCode, 0);
  await sandbox.close();
});

test('where containment is required, there is nothing without', async () => {
  const sandboxes = openSandboxes('required');
  if (isSandboxed) {
    assert.equal(await sandboxes.contains(), true);
    await (await sandboxes.open(grant)).close();
    return;
  }
  await assert.rejects(sandboxes.contains(), { code: 'sandbox.unavailable' });
  await assert.rejects(sandboxes.open(grant), { code: 'sandbox.unavailable' });
});
