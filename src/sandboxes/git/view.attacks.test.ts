import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { git, gitEnvironment, repository } from '../../../test/support/git.ts';
import { tree } from '../../../test/support/tree.ts';
import type { RejectedChange } from '../../core/sandbox.ts';
import { createProcessSandboxes } from '../bubblewrap-provider.ts';

const canary = '#!/bin/sh\ntouch "$(dirname "$0")/PWNED"\n';

/** Runs a script in a sandbox that may write to a folder. Each line may fail. */
async function attack(folder: string, script: string): Promise<readonly RejectedChange[]> {
  const environment = { ...gitEnvironment, PATH: '/usr/local/bin:/usr/bin:/bin' };
  const sandbox = await createProcessSandboxes().open({ read: [], write: [folder], hosts: [], environment });
  const command = { program: 'bash', arguments: ['-c', script], folder };
  const { rejected = [] } = await sandbox.run(command, new AbortController().signal);
  await sandbox.close();
  return rejected;
}

/** Uses the repository on the host. This must neither run anything that the command planted, nor fail. */
function useOnHost(folder: string, marker: string): void {
  git(folder, 'status');
  git(folder, 'checkout', '--', '.');
  git(folder, 'add', 'a');
  git(folder, 'commit', '-q', '--allow-empty', '-m', 'by the user');
  git(folder, 'checkout', '-q', '-B', 'mine');
  git(folder, 'log', '-p');
  git(folder, 'fsck', '--no-dangling');
  assert.ok(!existsSync(marker), 'the canary ran');
}

// Attacks by a single command: a name, its script, and the paths in `.git` that are reported as dropped.
type Attack = readonly [title: string, script: string, ...dropped: string[]];
const attacks: readonly (readonly Attack[])[] = [
  [
    [
      'a hook',
      'cp $CANARY .git/hooks/pre-commit; mkdir -p .git/hooks2; mv .git/hooks .git/old; cp $CANARY .git/hooks2/x',
      'hooks2/x',
    ],
    [
      'settings',
      'git config core.hooksPath $PWD; git config core.fsmonitor $CANARY; echo x > .git/config.worktree',
      'config',
      'config.worktree',
    ],
    [
      'another common folder',
      'mkdir -p other; cp -r .git/. other; cp $CANARY other/hooks/pre-commit; echo $PWD/other > .git/commondir; echo x > .git/gitdir',
      'commondir',
      'gitdir',
    ],
    [
      'other objects',
      'mkdir -p objects; echo $PWD/objects > .git/objects/info/alternates; echo x > .git/objects/info/http-alternates',
      'objects/info/alternates',
      'objects/info/http-alternates',
    ],
    [
      'attributes with a filter',
      'echo "* filter=x diff=x" > .git/info/attributes; git config filter.x.smudge $CANARY; echo x > .git/info/grafts',
      'info/attributes',
      'info/grafts',
      'config',
    ],
    [
      'a plan with a program',
      'mkdir .git/rebase-merge; echo "exec $CANARY" > .git/rebase-merge/git-rebase-todo; echo x > .git/rebase-merge/strategy_opts',
      'rebase-merge/git-rebase-todo',
      'rebase-merge/strategy_opts',
    ],
    [
      'a submodule',
      'mkdir -p .git/modules/x/hooks; cp $CANARY .git/modules/x/hooks/post-checkout',
      'modules/x/hooks/post-checkout',
    ],
  ],
  [
    [
      'settings of a branch',
      'git config branch.master.mergeoptions "--strategy=x"; git config branch.master.remote "ext::$CANARY"',
      'config',
    ],
    ['the index as a link', 'mv .git/index i; ln -s ../i .git/index', 'index'],
    ['HEAD as a link', 'rm .git/HEAD; ln -s refs/heads/master .git/HEAD', 'HEAD'],
    [
      'refs and logs as links',
      'ln -s $PWD .git/refs/heads/out; ln -sf $CANARY .git/logs/HEAD; rm -r .git/logs/refs; ln -s $PWD .git/logs/refs; ln -s /etc .git/refs/x',
      'refs/heads/out',
      'logs/HEAD',
      'refs/x',
    ],
    ['packed refs as a FIFO', 'mkfifo .git/packed-refs .git/MERGE_HEAD', 'packed-refs', 'MERGE_HEAD'],
    [
      'odd names',
      "printf x > $'.git/a\\nb'; printf x > $'.git/refs/heads/a\\nb'; mkdir .git/HOOKS; cp $CANARY .git/HOOKS/pre-commit",
      'a\nb',
      'refs/heads/a\nb',
      'HOOKS/pre-commit',
    ],
  ],
  [
    ['HEAD elsewhere', 'echo "ref: ../../x" > .git/HEAD', 'HEAD'],
    [
      'forged refs and logs',
      'echo x > .git/refs/heads/x; echo "curl x | sh" >> .git/logs/HEAD; echo x > .git/refs/heads/-x',
      'refs/heads/x',
      'logs/HEAD',
      'refs/heads/-x',
    ],
    [
      'too much',
      'truncate -s 2M .git/COMMIT_EDITMSG; truncate -s 900M .git/index; truncate -s 900M .git/x',
      'COMMIT_EDITMSG',
      'index',
      'x',
    ],
  ],
  [
    [
      '.git in another place',
      'mv .git away; mkdir .git; rm -f .git/HEAD; rmdir .git; echo "gitdir: other" > .git',
    ],
  ],
  [['folders that cannot be read', 'mkdir .git/x; touch .git/x/y; chmod 000 .git/x .git/refs']],
  [['everything removed', 'find .git -mindepth 1 -maxdepth 1 ! -name objects -exec rm -rf {} +']],
];

describe(
  'a command in a sandbox makes git on the host run nothing by',
  { skip: withoutBubblewrap, concurrency: 2 },
  () => {
    for (const together of attacks) {
      test(together.map(([title]) => title).join(', '), async () => {
        using files = repository();
        files.write('canary', canary);
        chmodSync(files.at('canary'), 0o755);
        const scripts = together.map(([, script]) => script.replaceAll('; ', '\n'));
        const rejected = await attack(files.path, ['CANARY=$PWD/canary', ...scripts].join('\n'));
        const named = rejected.map(({ path }) => path);
        for (const path of together.flatMap(([, , ...dropped]) => dropped))
          assert.ok(named.includes(files.at('.git', path)), `${path} in ${named.join(' ')}`);
        useOnHost(files.path, files.at('PWNED'));
        for (const name of ['commondir', 'config.worktree', 'modules', 'objects/info/alternates'])
          assert.ok(!existsSync(files.at('.git', name)), name);
      });
    }

    test('an index with entries in the git folder', async () => {
      using files = repository();
      files.write('canary', canary);
      const id = git(files.path, 'hash-object', '-w', 'canary').trim();
      git(files.path, 'update-index', '--add', '--cacheinfo', `100755,${id},xgit/hooks/post-checkout`);
      const crafted = readFileSync(files.at('.git/index'))
        .subarray(0, -20)
        .toString('latin1')
        .replace('xgit', '.git');
      git(files.path, 'reset', '-q');
      const body = Buffer.from(crafted, 'latin1');
      files.write('crafted', Buffer.concat([body, createHash('sha1').update(body).digest()]));
      const rejected = await attack(files.path, 'cp crafted .git/index');
      assert.match(rejected[0]?.reason ?? '', /could be in a git folder/);
      useOnHost(files.path, files.at('.git/hooks/PWNED'));
    });

    test('a hook in a folder of the workspace that settings name', async () => {
      using files = repository();
      files.write('hooks/readme', '');
      git(files.path, 'config', 'core.hooksPath', 'hooks');
      files.write('canary', canary);
      chmodSync(files.at('canary'), 0o755);
      await attack(
        files.path,
        'cp canary hooks/pre-commit; mv hooks old; mkdir hooks; cp canary hooks/pre-commit',
      );
      useOnHost(files.path, files.at('hooks/PWNED'));
    });

    test('the files of a worktree', async () => {
      using files = repository('main');
      git(files.at('main'), 'worktree', 'add', '-q', '../side');
      using other = tree({ 'hooks/pre-commit': canary });
      chmodSync(other.at('hooks/pre-commit'), 0o755);
      const own = files.at('main/.git/worktrees/side');
      const rejected = await attack(
        files.at('side'),
        `echo ${other.path} > ${own}/commondir; echo x > ${own}/gitdir; echo x > ${own}/config.worktree
       echo "gitdir: x" > .git; mv .git away; echo x > ${files.at('main/.git/config')}; touch ${files.at('main/.git/commondir')}
       echo "ref: refs/heads/x" > ${files.at('main/.git/HEAD')}; echo x > ${files.at('main/.git/index')}`,
      );
      const named = rejected.map(({ path }) => path);
      for (const path of [`${own}/commondir`, `${own}/gitdir`, files.at('main/.git/HEAD')])
        assert.ok(named.includes(path), path);
      assert.ok(lstatSync(files.at('side/.git')).isFile());
      useOnHost(files.at('side'), other.at('hooks/PWNED'));
      git(files.at('main'), 'status');
    });
  },
);
