import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { call, documentOf, errorIn, leaveHome } from '../../../../test/support/command.ts';
import { skillText, tree, type Tree } from '../../../../test/support/tree.ts';

leaveHome();

function project(): Tree {
  rmSync(`${process.env['HOME'] ?? ''}/.skilled`, { recursive: true, force: true });
  return tree({
    '.git/HEAD': '',
    'skills/alpha/SKILL.md': skillText('alpha', 'Runs.'),
    'skills/alpha/scripts/go.sh': 'echo 1\n',
    'skills/beta/SKILL.md': skillText('beta', 'Runs too.'),
    'skills/beta/scripts/go.sh': 'echo 1\n',
    'notes.md': 'x\n',
  });
}

async function trustIn(files: Tree): Promise<Readonly<Record<string, string>>> {
  const { skills } = documentOf(await call(['trust', '--json', '--cwd', files.path]));
  const listed = skills as readonly { readonly name: string; readonly trust: string }[];
  return Object.fromEntries(listed.map(({ name, trust }) => [name, trust]));
}

async function grant(files: Tree, folder = 'skills'): Promise<Record<string, unknown>> {
  return documentOf(await call(['trust', 'grant', `./${folder}`, '--json', '--cwd', files.path]));
}

describe('a folder that its author trusts', () => {
  test('covers its skills after each edit, until it is revoked', async () => {
    using files = project();
    assert.deepEqual(await trustIn(files), { alpha: 'needed', beta: 'needed' });
    const granted = await grant(files);
    assert.deepEqual([granted['ok'], granted['skills']], [true, ['alpha', 'beta']]);
    files.write('skills/alpha/scripts/go.sh', 'echo 2\n');
    assert.deepEqual(await trustIn(files), { alpha: 'granted', beta: 'granted' });
    const said = await call(['trust', 'grant', './skills', '--cwd', files.path]);
    assert.match(said.err, /git pulls/);
    assert.equal((await call(['trust', 'revoke', './skills', '--cwd', files.path])).code, 0);
    assert.deepEqual(await trustIn(files), { alpha: 'needed', beta: 'needed' });
  });

  test('does not cover a skill that a lock file lists', async () => {
    using files = project();
    await grant(files);
    files.write('skilled-lock.json', JSON.stringify({ skills: { beta: { path: 'skills/beta' } } }));
    assert.deepEqual(await trustIn(files), { alpha: 'granted', beta: 'needed' });
  });

  test('does not cover a skill that a run changed, and every such change is asked about', async () => {
    using files = project();
    await grant(files);
    await call(['config', 'set', 'permissions.allow', '["Write", "Edit"]', '--user', '--cwd', files.path]);
    const write = (path: string, ...more: readonly string[]) =>
      call([
        'run',
        '/write',
        '--file_path',
        path,
        '--content',
        'echo BAD\n',
        ...more,
        '-q',
        '--cwd',
        files.path,
      ]);
    assert.equal((await write('other.md')).code, 0, 'the rule allows it elsewhere');
    const asked = await write('skills/alpha/scripts/go.sh');
    assert.equal(asked.code, 4, asked.err);
    assert.equal(readFileSync(files.at('skills/alpha/scripts/go.sh'), 'utf8'), 'echo 1\n');
    assert.deepEqual(await trustIn(files), { alpha: 'granted', beta: 'granted' }, 'nothing changed yet');
    assert.equal((await write('skills/alpha/scripts/go.sh', '--yes')).code, 0);
    assert.deepEqual(await trustIn(files), { alpha: 'needed', beta: 'granted' });
    files.write('skills/alpha/scripts/go.sh', 'echo BAD too\n');
    assert.deepEqual(await trustIn(files), { alpha: 'needed', beta: 'granted' }, 'an edit does not hide it');
    await grant(files);
    assert.deepEqual(await trustIn(files), { alpha: 'granted', beta: 'granted' });
  });

  test('is not the home folder, and a damaged file trusts nothing', async () => {
    using files = project();
    const home = process.env['HOME'] ?? '';
    process.env['HOME'] = files.at('skills');
    try {
      assert.equal(
        errorIn(await call(['trust', 'grant', './skills', '--json', '--cwd', files.path])).code,
        'usage.bad-input',
      );
    } finally {
      process.env['HOME'] = home;
    }
    await grant(files);
    const file = `${home}/.skilled/trusted-folders.json`;
    assert.ok(readFileSync(file, 'utf8').includes('skills'));
    writeFileSync(file, '{"version": 1, "folders": "/"}');
    assert.deepEqual(await trustIn(files), { alpha: 'needed', beta: 'needed' });
  });
});
