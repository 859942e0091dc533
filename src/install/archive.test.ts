import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { hostileArchives, tarOf, zipOf } from '../../test/support/hostile-archives.ts';
import { openInstallStage } from '../../test/support/install-stage.ts';
import { skillText, tree } from '../../test/support/tree.ts';
import { isAgentError } from '../core/error.ts';
import { unpackArchive } from './archive.ts';
import { sourceLimits } from './tree.ts';

for (const { what, name, bytes } of hostileArchives()) {
  test(`${what}: the archive is refused, and nothing is written`, async () => {
    using base = tree({ 'work/project/file': '', [`work/${name}`]: bytes() });
    const stage = openInstallStage(base.at('work/project'));
    await assert.rejects(
      stage.add(`../${name}`),
      (thrown) => isAgentError(thrown) && thrown.code === 'skill.refused',
    );
    assert.deepEqual(readdirSync(base.path), ['work']);
    assert.deepEqual(readdirSync(base.at('work')).sort(), ['project', name].sort());
    assert.deepEqual(readdirSync(base.at('work/project')).sort(), ['.agents', 'file']);
    assert.deepEqual(readdirSync(base.at('work/project/.agents/skills')), []);
    assert.deepEqual(readdirSync(base.at('work/project/.agents/.skilled-install')).sort(), [
      '.gitignore',
      'lock',
    ]);
    assert.ok(!existsSync('/etc/skilled-evil'));
  });
}

test('both kinds of archives are read with their modes, with and without an outer folder', async () => {
  const script = '#!/bin/sh\necho hi\n';
  const tar = gzipSync(
    tarOf([
      { path: 'greet/', type: 'Directory' },
      { path: 'greet/SKILL.md', type: 'File', body: skillText('greet') },
      { path: `greet/scripts/${'long-'.repeat(30)}name.sh`, type: 'File', mode: 0o755, body: script },
    ]),
  );
  const files = await unpackArchive(tar);
  assert.deepEqual(
    files.map(({ path, isProgram }) => [path, isProgram]),
    [
      ['greet/SKILL.md', false],
      [`greet/scripts/${'long-'.repeat(30)}name.sh`, true],
    ],
  );
  const zip = zipOf([
    { path: 'SKILL.md', body: skillText('greet') },
    { path: 'scripts/', mode: 0o040755 },
    { path: 'scripts/go.sh', body: script, mode: 0o100755 },
  ]);
  const unzipped = await unpackArchive(zip);
  assert.deepEqual(
    unzipped.map(({ path, bytes, isProgram }) => [path, Buffer.from(bytes).toString(), isProgram]),
    [
      ['SKILL.md', skillText('greet'), false],
      ['scripts/go.sh', script, true],
    ],
  );
  for (const [name, bytes] of Object.entries({ 'greet.zip': zip, 'other.tar.gz': tar })) {
    using base = tree({ [name]: bytes });
    const stage = openInstallStage(base.path);
    await stage.add(`./${name}`);
    assert.deepEqual([...stage.lock().keys()], ['greet']);
    assert.equal(stage.lock().get('greet')?.executables.length, 1);
  }
});

test('the limits leave room for real skills', () => {
  assert.ok(sourceLimits.skillFiles >= 1_000);
  assert.ok(sourceLimits.skillBytes >= 16 * 1024 * 1024);
});
