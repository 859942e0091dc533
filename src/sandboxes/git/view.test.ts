import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { git, gitEnvironment, repository } from '../../../test/support/git.ts';
import type { ProcessResult, Grant } from '../../core/sandbox.ts';
import { createProcessSandboxes } from '../bubblewrap-provider.ts';

const never = new AbortController().signal;

async function run(folder: string, script: string, more: Partial<Grant> = {}): Promise<ProcessResult> {
  const environment = { ...gitEnvironment, PATH: '/usr/local/bin:/usr/bin:/bin' };
  const sandbox = await createProcessSandboxes().open({
    read: [],
    write: [folder],
    hosts: [],
    environment,
    ...more,
  });
  const result = await sandbox.run({ program: 'sh', arguments: ['-ec', script], folder }, never);
  await sandbox.close();
  return result;
}

function succeeds({ exitCode, stdout, stderr, rejected }: ProcessResult): string {
  assert.deepEqual([exitCode, rejected ?? []], [0, []], `${stdout}${stderr}`);
  return stdout;
}

/** Everyday commands. `seen` is the resulting state on the host. */
const work = `
git status; git diff --stat
echo b > b; git add b; git commit -qm two
git checkout -qb topic; echo c > c; git add c; git commit -qm three
git tag v1; git tag -a v2 -m annotated
git checkout -q -; git merge -q --no-ff -m merged topic
echo d > d; git add d; git stash -q; git stash list; git stash pop -q
git reset -q; rm d; git mv b e; git rm -q c; git commit -qm four
git checkout -q topic; echo f > f; git add f; git commit -qm five; git checkout -q -
git cherry-pick topic; echo x >> a; git restore a; git reset -q --hard HEAD
git log --oneline; git branch -m topic other; git pack-refs --all; git gc -q; git status --short`;

function isSound(folder: string): void {
  assert.match(git(folder, 'log', '--format=%s'), /^five\nfour\nmerged\n/);
  assert.equal(git(folder, 'status', '--short'), '');
  assert.equal(
    git(folder, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/other', 'refs/tags'),
    'other\nv1\nv2\n',
  );
  git(folder, 'fsck', '--strict', '--no-dangling');
  assert.match(git(folder, 'reflog'), /cherry-pick: five/);
}

describe('git in a sandbox', { skip: withoutBubblewrap, concurrency: 2 }, () => {
  test('works in a repository, and the host sees the result', async () => {
    using files = repository();
    succeeds(await run(files.path, work));
    isSound(files.path);
    succeeds(await run(files.path, 'echo y > a; git stash -q'));
    assert.match(git(files.path, 'stash', 'list'), /WIP/);
    succeeds(await run(files.path, 'git stash pop -q; git checkout -q a'));
    assert.equal(git(files.path, 'stash', 'list'), '');
    assert.ok(!existsSync(files.at('.git/refs/stash')));
  });

  test('works in a worktree, and the host sees the result there and in the repository', async () => {
    using files = repository('main');
    git(files.at('main'), 'worktree', 'add', '-q', '-b', 'side', '../side');
    const head = readFileSync(files.at('main/.git/HEAD'), 'utf8');
    succeeds(await run(files.at('side'), work));
    isSound(files.at('side'));
    assert.equal(git(files.at('main'), 'log', '-1', '--format=%s', 'side'), 'five\n');
    assert.equal(readFileSync(files.at('main/.git/HEAD'), 'utf8'), head);
    assert.equal(git(files.at('main'), 'status', '--short'), '');
  });

  test('works in a submodule, and the host sees the result', async () => {
    using files = repository('sub');
    git(files.path, 'init', '-q', 'top');
    git(files.at('top'), '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', '../sub', 'lib/sub');
    succeeds(await run(files.at('top/lib/sub'), work));
    isSound(files.at('top/lib/sub'));
  });

  test('a conflict is left to the next command, and a rebase is continued by it', async () => {
    using files = repository();
    git(files.path, 'checkout', '-q', '-b', 'topic');
    for (const [branch, text] of [
      ['topic', 'x'],
      ['master', 'y'],
    ] as const) {
      git(files.path, 'checkout', '-q', branch);
      files.write('a', text);
      git(files.path, 'commit', '-q', '-a', '-m', branch);
    }
    succeeds(await run(files.path, 'git merge topic || true'));
    assert.match(git(files.path, 'status'), /Unmerged paths/);
    succeeds(await run(files.path, 'git merge --abort; git rebase topic || true'));
    assert.match(git(files.path, 'status'), /rebase in progress/);
    succeeds(await run(files.path, 'echo z > a; git add a; GIT_EDITOR=true git rebase --continue'));
    assert.equal(git(files.path, 'log', '--format=%s'), 'master\ntopic\nfirst\n');
    assert.ok(!existsSync(files.at('.git/rebase-merge')));
  });

  test('commands at once leave a sound index; what comes too late is named and can be done again', async () => {
    using files = repository();
    const names = ['one', 'two', 'three', 'four'];
    const results = await Promise.all(
      names.map((name) => run(files.path, `echo ${name} > ${name}; git add ${name}; git commit -qm ${name}`)),
    );
    git(files.path, 'fsck', '--strict', '--no-dangling');
    const taken = names.filter((_, index) => results[index]?.rejected === undefined);
    assert.ok(taken.length >= 1);
    assert.deepEqual(git(files.path, 'ls-files').trim().split('\n').sort(), ['a', ...taken].sort());
    for (const result of results)
      if (result.rejected !== undefined)
        assert.match(result.rejected[0]?.reason ?? '', /dropped: .*(?:in the meantime|lock)/);
  });

  test('waits for a lock of the host, and drops the change when that stays', async () => {
    using files = repository();
    files.write('.git/index.lock', '');
    const { rejected } = await run(files.path, 'echo b > b; git add b');
    assert.match(rejected?.[0]?.reason ?? '', /^Changes of index were dropped: .*index\.lock/);
    assert.ok(existsSync(files.at('.git/index.lock')));
    assert.equal(git(files.path, 'ls-files'), 'a\n');
  });

  test('a file that leads to a folder of the host that names another one gives nothing', async () => {
    using files = repository('real');
    git(files.at('real'), 'worktree', 'add', '-q', '../side');
    mkdirSync(files.at('forged'));
    for (const target of ['../real/.git', '../real/.git/worktrees/side']) {
      writeFileSync(files.at('forged/.git'), `gitdir: ${target}\n`);
      const { stdout, stderr, exitCode } = await run(
        files.at('forged'),
        `ls ../real/.git || echo hidden; echo x > .git || mv .git away || echo kept; git status`,
      );
      assert.equal(stdout, 'hidden\nkept\n', stderr);
      assert.notEqual(exitCode, 0);
      assert.equal(readFileSync(files.at('forged/.git'), 'utf8'), `gitdir: ${target}\n`);
    }
  });

  test('a git folder that is linked to, or named by a file, within the workspace is copied too', async () => {
    for (const kind of ['link', 'file']) {
      using files = repository();
      execFileSync('mv', [files.at('.git'), files.at('store')]);
      if (kind === 'link') symlinkSync('store', files.at('.git'));
      else files.write('.git', 'gitdir: store\n');
      succeeds(await run(files.path, 'echo store >> .gitignore; git add .gitignore; git commit -qm two'));
      assert.equal(git(files.path, 'log', '-1', '--format=%s'), 'two\n');
      const { rejected = [] } = await run(
        files.path,
        'echo x > store/commondir; rm -f .git && mkdir .git || true',
      );
      assert.ok(
        rejected.some(({ path }) => path === files.at('store/commondir')),
        kind,
      );
      assert.equal(git(files.path, 'log', '-1', '--format=%s'), 'two\n');
    }
  });

  test('a folder below the top of a repository is as it was: without git', async () => {
    using files = repository();
    mkdirSync(files.at('below'));
    assert.match((await run(files.at('below'), 'git status')).stderr, /not a git repository/);
  });

  test('a process that lives longer can only read, and always sees the present', async () => {
    using files = repository();
    const environment = { ...gitEnvironment, PATH: '/usr/local/bin:/usr/bin:/bin' };
    const grant = { read: [], write: [files.path], hosts: [], environment };
    const sandbox = await createProcessSandboxes().open(grant);
    const script =
      'read go; git log -1 --format=%s; git tag x || echo refused; echo hook > .git/hooks/x || echo kept';
    const live = await sandbox.start({ program: 'sh', arguments: ['-c', script], folder: files.path });
    git(files.path, 'commit', '-q', '--allow-empty', '-m', 'later');
    await live.write(Buffer.from('go\n'));
    let said = '';
    for await (const bytes of live.output) said += Buffer.from(bytes).toString();
    assert.equal(said, 'later\nrefused\nkept\n');
    await sandbox.close();
  });

  test('an approved command makes submodules, worktrees and repositories', async () => {
    using files = repository();
    using other = repository();
    const more = { read: [other.path], mayCreateRepositories: true } as const;
    const script = `git -c protocol.file.allow=always submodule add -q ${other.path} lib; git worktree add -q wt; git init -q new`;
    succeeds(await run(files.path, script, more));
    assert.match(git(files.path, 'submodule', 'status'), / lib /);
    assert.match(git(files.path, 'worktree', 'list'), /wt/);
    assert.equal(git(files.at('wt'), 'log', '--format=%s'), 'first\n');
    const planted = await run(files.path, 'git config core.fsmonitor ./x', more);
    assert.match(planted.rejected?.[0]?.path ?? '', /config$/);
    rmSync(join(files.path, 'wt'), { recursive: true });
    assert.notEqual((await run(files.path, 'git worktree add -q wt2')).exitCode, 0, 'without an approval');
  });
});
