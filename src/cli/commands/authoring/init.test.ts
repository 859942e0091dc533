import assert from 'node:assert/strict';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import {
  call,
  documentOf,
  errorIn,
  leaveHome,
  skillsIn,
  workspace,
} from '../../../../test/support/command.ts';
import { tree } from '../../../../test/support/tree.ts';

leaveHome();

const settings = '.skilled/settings.json';
const ignore = '.skilled/.gitignore';
const sample = '.agents/skills/hello/SKILL.md';

describe('init', () => {
  test('writes settings, an ignore file and a skill that works, and says what to do next', async () => {
    using files = tree({ '.git/HEAD': '' });
    const { code, out, err } = await call(['init', '--cwd', files.path]);
    const paths = [settings, ignore, sample].map((file) => files.at(file));
    assert.deepEqual([code, out], [0, paths.map((file) => `${file}\n`).join('')]);
    assert.match(err, /^Next:\n {2}skilled render hello Ann --cwd /);
    const found = skillsIn(await call(['list', '--json', '--cwd', files.path]));
    assert.equal(found.find(({ name }) => name === 'hello')?.status, 'ready');
    assert.equal((await call(['validate', '--strict', '--cwd', files.path])).code, 0);
    assert.match((await call(['render', 'hello', 'Ann', '--cwd', files.path])).out, /one sentence: Ann$/m);
    assert.equal((await call(['config', 'set', 'limits.depth', '3', '--cwd', files.path])).code, 0);
    const doctor = documentOf(await call(['doctor', '--json', '--cwd', files.path]));
    assert.deepEqual([doctor['ok'], doctor['diagnostics']], [true, []]);
  });

  test('a second time all is there, whatever has become of it', async () => {
    using files = tree({ '.git/HEAD': '' });
    await call(['init', '--cwd', files.path]);
    files.write(settings, '{ "offline": true }');
    files.write(sample, '---\nname: hello\ndescription: Mine.\n---\n');
    const again = await call(['init', '--cwd', files.path]);
    assert.deepEqual([again.code, again.out], [0, '']);
    assert.match(
      again.err,
      /^Nothing to do, these files exist: .*settings\.json, .*\.gitignore, .*SKILL\.md\n/,
    );
    assert.equal(readFileSync(files.at(settings), 'utf8'), '{ "offline": true }');
    assert.match(readFileSync(files.at(sample), 'utf8'), /Mine\./);
    const document = documentOf(await call(['init', '--json', '--cwd', files.path]));
    const present = [settings, ignore, sample].map((file) => files.at(file));
    assert.deepEqual(document, { ok: true, written: [], changed: [], present });
  });

  test('adds to an ignore file what it lacks, once; a project with skills gets no sample', async () => {
    using files = workspace({ [ignore]: '# mine\n/skilled.db*' });
    const { out, err } = await call(['init', '--cwd', files.path]);
    assert.equal(out, `${files.at(settings)}\n${files.at(ignore)}\n`);
    assert.match(err, /^Next:\n {2}skilled list /);
    const lines = '# mine\n/skilled.db*\ntables.db*\ncache/\nsettings.local.json\n';
    assert.equal(readFileSync(files.at(ignore), 'utf8'), lines);
    assert.equal((await call(['init', '--cwd', files.path])).out, '');
    assert.equal(readFileSync(files.at(ignore), 'utf8'), lines);
  });

  test('an editor finds the schema where the package is installed', async () => {
    using files = tree({ '.git/HEAD': '', 'node_modules/skilled/schemas/settings.json': '{}', 'app/x': '' });
    await call(['init', '--cwd', files.at('app'), '--quiet']);
    assert.match(
      readFileSync(files.at('app/.skilled/settings.json'), 'utf8'),
      /^ {2}"\$schema": "\.\.\/\.\.\/node_modules\/skilled\/schemas\/settings\.json",$/m,
    );
  });

  test('says when other settings no longer count', async () => {
    using files = tree({ '.git/HEAD': '', [settings]: '{}', 'app/x': '' });
    const { err } = await call(['init', '--cwd', files.at('app')]);
    assert.ok(err.split('\n')[0]?.endsWith(` now replace ${files.at(settings)}`), err);
  });

  const obstacles: readonly (readonly [what: string, path: string])[] = [
    ['the settings folder', '.skilled'],
    ['the folder of skills', '.agents/skills'],
    ['the folder around it', '.agents'],
  ];
  for (const [what, path] of obstacles) {
    test(`a file in the place of ${what}: nothing is written`, async () => {
      using files = tree({ '.git/HEAD': '', [path]: 'in the way' });
      const ended = await call(['init', '--json', '--cwd', files.path]);
      const { code, message, hint } = errorIn(ended);
      assert.deepEqual([ended.code, code], [2, 'usage.bad-input']);
      assert.equal(message, `${files.at(path)} exists and is not a folder.`);
      assert.match(hint ?? '', /^Move .*--cwd/);
      for (const file of [settings, ignore, sample]) assert.ok(!existsSync(files.at(file)));
    });
  }

  test('where nothing can be written, in a home folder, and through a link: an error with a next step', async (t) => {
    using files = tree({ 'home/x': '', 'project/.git/HEAD': '', 'elsewhere/x': '' });
    const home = process.env['HOME'];
    t.after(() => (process.env['HOME'] = home));
    process.env['HOME'] = files.at('home');
    symlinkSync(files.at('elsewhere'), files.at('project/.skilled'));
    const blocked = existsSync('/proc/self') ? '/proc' : files.at('home');
    for (const folder of [blocked, files.at('home'), files.at('project')]) {
      const ended = await call(['init', '--json', '--cwd', folder]);
      assert.equal(ended.code, 2);
      assert.notEqual(errorIn(ended).hint ?? '', '');
    }
    assert.ok(!existsSync(files.at('elsewhere/settings.json')));
  });
});
