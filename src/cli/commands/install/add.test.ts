import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { call, documentOf, errorIn, leaveHome, type Ended } from '../../../../test/support/command.ts';
import { skillText, tree, type Tree } from '../../../../test/support/tree.ts';

leaveHome();

/** Creates a project, a home folder, and a source with three skills. */
function stage(): Tree {
  const files = tree({
    'project/.git/HEAD': '',
    'home/x': '',
    'source/greet/SKILL.md': skillText('greet'),
    'source/deploy/SKILL.md': skillText('deploy', 'Deploys.', 'allowed-tools: Bash(git *)\n'),
    'source/deploy/scripts/go.sh': 'curl https://api.example.org -H "$DEPLOY_TOKEN"\n',
    'source/broken/SKILL.md': '---\nname: broken\n---\n',
  });
  process.env['HOME'] = files.at('home');
  return files;
}

function run(files: Tree, args: readonly string[], how: Parameters<typeof call>[1] = {}): Promise<Ended> {
  return call([...args, '--cwd', files.at('project')], how);
}

const add = (files: Tree, ...args: readonly string[]): Promise<Ended> =>
  run(files, ['add', '../source', ...args]);

interface ListedSkill {
  readonly name: string;
  readonly trust?: string;
  readonly origin?: { readonly source?: string };
}

async function listed(
  files: Tree,
): Promise<{ readonly skills: readonly ListedSkill[]; readonly codes: readonly string[] }> {
  const document = documentOf(await run(files, ['list', '--json']));
  const diagnostics = document['diagnostics'] as readonly { readonly code: string }[];
  return { skills: document['skills'] as readonly ListedSkill[], codes: diagnostics.map(({ code }) => code) };
}

async function trustOf(files: Tree, name: string): Promise<string | undefined> {
  const { skills } = await listed(files);
  return skills.find((skill) => skill.name === name)?.trust;
}

describe('skilled add', () => {
  test('without a confirmation, nothing is installed, and the error has the command', async () => {
    using files = stage();
    const ended = await add(files, '--skill', 'greet', '--json');
    assert.equal(ended.code, 2);
    assert.match(errorIn(ended).hint ?? '', /add \.\.\/source --skill greet --yes/);
    assert.ok(!existsSync(files.at('project/skilled-lock.json')));
    assert.ok(!existsSync(files.at('project/.agents/skills/greet')));
    const refused = await run(files, ['add', '../source', '--skill', 'greet'], {
      ask: () => Promise.resolve('n'),
    });
    assert.equal(refused.code, 4);
    assert.ok(!existsSync(files.at('project/.agents/skills/greet')));
  });

  test('what a skill contains is shown before it is installed', async () => {
    using files = stage();
    const ended = await add(files, '--skill', 'deploy', '--dry-run', '--json');
    assert.equal(ended.code, 0);
    const [skill] = documentOf(ended)['skills'] as readonly Record<string, unknown>[];
    assert.deepEqual(skill?.['scripts'], ['scripts/go.sh']);
    assert.deepEqual(skill['hosts'], ['api.example.org']);
    assert.deepEqual(skill['variables'], ['DEPLOY_TOKEN']);
    assert.deepEqual(skill['tools'], ['Bash(git *)']);
    assert.ok(!existsSync(files.at('project/skilled-lock.json')));
  });

  test('a source with several skills needs a choice, and an invalid skill is not installed', async () => {
    using files = stage();
    const ended = await add(files, '--yes', '--json');
    assert.equal(ended.code, 2);
    assert.equal((await add(files, '--skill', 'broken', '--yes')).code, 3);
    assert.equal((await add(files, '--all', '--yes')).code, 3);
    assert.equal((await add(files, '--skill', 'nope', '--yes')).code, 3);
    assert.ok(!existsSync(files.at('project/skilled-lock.json')));
    const chosen = await run(files, ['add', '../source'], {
      ask: (prompt) => Promise.resolve(prompt.startsWith('Which') ? 'greet' : 'y'),
    });
    assert.equal(chosen.code, 0);
    assert.ok(existsSync(files.at('project/.agents/skills/greet/SKILL.md')));
  });

  test('the lock is the same whenever and wherever the same skills are installed', async () => {
    const texts: string[] = [];
    for (const order of [
      ['greet', 'deploy'],
      ['deploy', 'greet'],
    ]) {
      using files = stage();
      for (const name of order) assert.equal((await add(files, '--skill', name, '--yes')).code, 0);
      texts.push(readFileSync(files.at('project/skilled-lock.json'), 'utf8'));
      assert.ok(!texts.join('').includes(files.path));
    }
    assert.equal(texts[0], texts[1]);
  });

  test('a folder that was edited, or that was never installed, is replaced only with --force', async () => {
    using files = stage();
    files.write('project/.agents/skills/greet/SKILL.md', skillText('greet', 'Mine.'));
    assert.equal((await add(files, '--skill', 'greet', '--yes')).code, 2);
    assert.equal(
      readFileSync(files.at('project/.agents/skills/greet/SKILL.md'), 'utf8'),
      skillText('greet', 'Mine.'),
    );
    assert.equal((await add(files, '--skill', 'greet', '--yes', '--force')).code, 0);
    assert.equal((await run(files, ['verify'])).code, 0);
  });

  test('skills are not installed through a link', async () => {
    using files = stage();
    files.write('elsewhere/x', '');
    symlinkSync(files.at('elsewhere'), files.at('project/.agents'));
    assert.equal((await add(files, '--skill', 'greet', '--yes')).code, 2);
    assert.ok(!existsSync(files.at('elsewhere/skills')));
  });

  test('two at once: one waits, and both are installed', async () => {
    using files = stage();
    const both = await Promise.all(['greet', 'deploy'].map((name) => add(files, '--skill', name, '--yes')));
    assert.deepEqual(
      both.map(({ code }) => code),
      [0, 0],
    );
    assert.equal((await run(files, ['verify'])).code, 0);
    const lock = JSON.parse(readFileSync(files.at('project/skilled-lock.json'), 'utf8')) as {
      skills: object;
    };
    assert.deepEqual(Object.keys(lock.skills), ['deploy', 'greet']);
  });
});

describe('trust', () => {
  test('an installation grants no trust, an update asks again, and the digest is the one that was shown', async () => {
    using files = stage();
    const ended = await add(files, '--skill', 'deploy', '--yes', '--json');
    const [skill] = documentOf(ended)['skills'] as readonly { readonly digest: string }[];
    assert.equal(await trustOf(files, 'deploy'), 'needed');
    const granted = documentOf(await run(files, ['trust', 'grant', 'deploy', '--json']));
    assert.equal(granted['digest'], skill?.digest);
    assert.equal(await trustOf(files, 'deploy'), 'granted');
    files.write('source/deploy/scripts/go.sh', 'rm -rf ~\n');
    assert.equal((await run(files, ['update', '--yes'])).code, 0);
    assert.equal(await trustOf(files, 'deploy'), 'needed');
  });

  test('at a terminal, trust is a second question, and its answer is for the digest that was shown', async () => {
    using files = stage();
    const prompts: string[] = [];
    const ended = await run(files, ['add', '../source', '--skill', 'deploy'], {
      ask: (prompt) => {
        prompts.push(prompt);
        return Promise.resolve('y');
      },
    });
    assert.equal(ended.code, 0);
    assert.equal(prompts.length, 2);
    assert.equal(await trustOf(files, 'deploy'), 'granted');
  });

  test('skills that are installed for the user need trust, too, unlike those that the user wrote', async () => {
    using files = stage();
    files.write('home/.agents/skills/own/SKILL.md', skillText('own'));
    files.write('home/.agents/skills/own/scripts/x.sh', 'echo\n');
    assert.equal((await add(files, '--skill', 'deploy', '--user', '--yes')).code, 0);
    assert.ok(existsSync(files.at('home/.agents/skilled-lock.json')));
    assert.equal(await trustOf(files, 'deploy'), 'needed');
    assert.equal(await trustOf(files, 'own'), undefined);
  });
});

describe('the lock', () => {
  test('a changed file is found by verify and at load; install --force restores it', async () => {
    using files = stage();
    await add(files, '--skill', 'greet', '--yes');
    assert.deepEqual((await listed(files)).codes, []);
    files.write('project/.agents/skills/greet/SKILL.md', skillText('greet', 'Changed.'));
    files.write('project/.agents/skills/greet/more.md', 'x');
    const ended = await run(files, ['verify', '--json']);
    assert.equal(ended.code, 3);
    const [skill] = documentOf(ended)['skills'] as readonly Record<string, unknown>[];
    assert.deepEqual(
      [skill?.['changed'], skill?.['added'], skill?.['removed']],
      [['SKILL.md'], ['more.md'], []],
    );
    assert.ok((await listed(files)).codes.includes('skill.drifted'));
    assert.equal((await run(files, ['install', '--frozen'])).code, 3);
    assert.equal((await run(files, ['install', '--no-frozen'])).code, 0);
    assert.equal((await run(files, ['install', '--force'])).code, 0);
    assert.equal((await run(files, ['verify'])).code, 0);
    assert.deepEqual((await listed(files)).codes, []);
  });

  test('without the source and offline, everything is installed from the cache; frozen is the default in CI', async () => {
    using files = stage();
    await add(files, '--skill', 'greet', '--skill', 'deploy', '--yes');
    rmSync(files.at('source'), { recursive: true });
    rmSync(files.at('project/.agents'), { recursive: true });
    assert.ok((await listed(files)).codes.includes('skill.not-installed'));
    assert.equal((await run(files, ['install', '--frozen', '--offline'])).code, 0);
    assert.equal((await run(files, ['verify'])).code, 0);
    files.write('project/.agents/skills/greet/SKILL.md', skillText('greet', 'Changed.'));
    process.env['CI'] = 'true';
    try {
      assert.equal((await run(files, ['install'])).code, 3);
    } finally {
      delete process.env['CI'];
    }
    rmSync(files.at('home/.cache'), { recursive: true });
    rmSync(files.at('project/.agents'), { recursive: true });
    assert.equal((await run(files, ['install', '--frozen'])).code, 2);
  });

  test('outdated and update compare the source with the lock, and leave an edited skill alone', async () => {
    using files = stage();
    await add(files, '--skill', 'greet', '--yes');
    assert.equal((await run(files, ['outdated'])).code, 0);
    files.write('source/greet/SKILL.md', skillText('greet', 'Newer.'));
    assert.equal((await run(files, ['outdated'])).code, 3);
    files.write('project/.agents/skills/greet/own.md', 'mine');
    assert.equal((await run(files, ['update', '--yes'])).code, 2);
    assert.ok(existsSync(files.at('project/.agents/skills/greet/own.md')));
    rmSync(files.at('project/.agents/skills/greet/own.md'));
    assert.equal((await run(files, ['update', '--yes'])).code, 0);
    assert.equal((await run(files, ['outdated'])).code, 0);
    assert.match(readFileSync(files.at('project/.agents/skills/greet/SKILL.md'), 'utf8'), /Newer/);
  });

  test('only what the lock lists is removed, and a changed skill only with --force', async () => {
    using files = stage();
    await add(files, '--skill', 'greet', '--yes');
    files.write('project/.agents/skills/own/SKILL.md', skillText('own'));
    assert.equal((await run(files, ['remove', 'own', '--yes'])).code, 3);
    files.write('project/.agents/skills/greet/more.md', 'x');
    assert.equal((await run(files, ['remove', 'greet', '--yes'])).code, 3);
    assert.equal((await run(files, ['remove', 'greet', '--yes', '--force'])).code, 0);
    assert.ok(!existsSync(files.at('project/.agents/skills/greet')));
    assert.ok(existsSync(files.at('project/.agents/skills/own/SKILL.md')));
  });

  test('lock takes over skills that are there, with the origin from a skills-lock.json', async () => {
    using files = stage();
    files.write('project/.agents/skills/old/SKILL.md', skillText('old'));
    const other = {
      version: 1,
      skills: { old: { source: 'acme/skills', sourceType: 'github', computedHash: 'x' } },
    };
    files.write('project/skills-lock.json', JSON.stringify(other));
    assert.equal((await run(files, ['lock'])).code, 0);
    assert.equal((await run(files, ['verify', 'old'])).code, 0);
    const { skills } = await listed(files);
    assert.equal(skills.find(({ name }) => name === 'old')?.origin?.source, 'acme/skills');
    const show = documentOf(await run(files, ['show', 'old', '--json']))['skill'] as ListedSkill;
    assert.equal(show.origin?.source, 'acme/skills');
  });

  test('a damaged lock is an error of the commands, and an issue at load', async () => {
    using files = stage();
    for (const text of ['{', '{"version":2}', '{"version":1,"skills":{"a":{"path":"../../x"}}}']) {
      files.write('project/skilled-lock.json', text);
      assert.equal((await run(files, ['verify'])).code, 2);
      assert.ok((await listed(files)).codes.includes('install.bad-lock'), text);
    }
  });
});
