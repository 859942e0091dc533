import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../support/bubblewrap.ts';
import { documentOf } from '../support/command.ts';
import { runCommand } from '../support/command-process.ts';
import { git, repository } from '../support/git.ts';
import type { Tree } from '../support/tree.ts';

/** Runs a shell command in a folder with the installed package. Rules allow it without a question. */
async function bash(files: Tree, folder: string, command: string) {
  files.write('home/.skilled/settings.json', '{"permissions": {"allow": ["Bash"]}}');
  const ended = await runCommand(['run', '/bash', '--command', command, '--json', '-q'], {
    env: { HOME: files.at('home'), PATH: '/usr/local/bin:/usr/bin:/bin' },
    cwd: files.at(folder),
  });
  return { code: ended.code, text: JSON.stringify(documentOf(ended)) };
}

const identity = 'git config user.name a; git config user.email a@b';
const plant = `printf '#!/bin/sh\\ntouch PWNED\\n' > hook; chmod +x hook`;

// The effects of a command in the workspace, and its result.
const rows: readonly (readonly [title: string, folder: string, command: string, says: RegExp])[] = [
  [
    'in a repository: commits, and plants nothing',
    'main',
    `${identity}; ${plant}; cp hook .git/hooks/pre-commit; git config core.fsmonitor ./hook; mkdir -p o; echo ../o > .git/commondir; git add a; git commit -qm sandboxed --allow-empty || echo failed`,
    /undone: [^ ]*main\/\.git\/(?:config|commondir)/,
  ],
  [
    'in a worktree: commits, and plants nothing',
    'side',
    `${identity}; ${plant}; echo "gitdir: x" > .git; git commit -qm sandboxed --allow-empty; git rev-parse --git-dir`,
    /worktrees\/side/,
  ],
];

describe('git in commands of the installed package', { skip: withoutBubblewrap, concurrency: true }, () => {
  for (const [title, folder, command, says] of rows) {
    test(title, async () => {
      using files = repository('main');
      git(files.at('main'), 'worktree', 'add', '-q', '../side');
      const { code, text } = await bash(files, folder, command);
      assert.equal(code, 0, text);
      assert.match(text, says);
      rmSync(files.at(folder, 'hook'));
      git(files.at(folder), 'status');
      git(files.at(folder), 'commit', '-q', '--allow-empty', '-m', 'by the user');
      assert.match(git(files.at(folder), 'log', '--format=%s'), /^by the user\n(?:sandboxed\n)?first/);
      assert.ok(!existsSync(files.at(folder, 'PWNED')));
    });
  }

  test('a new repository is asked about, whatever allows commands', async () => {
    using files = repository('main');
    const { code, text } = await bash(files, 'main', 'cd . && git init -q new');
    assert.equal(code, 4, text);
    assert.match(text, /It creates a git repository/);
    assert.ok(!existsSync(files.at('main/new')));
  });
});
