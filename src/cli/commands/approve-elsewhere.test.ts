import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { documentOf, moreSkills, spawnCommand, startCommand } from '../../../test/support/command.ts';
import { tree, type Tree } from '../../../test/support/tree.ts';

/** How to start the program as a process of its own. */
function program(files: Tree): {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly node: readonly string[];
} {
  const env = { HOME: files.at('home'), PATH: '/usr/bin:/bin' };
  return { env, cwd: files.path, node: moreSkills(files) };
}

/** The words of a command that was printed behind some text. */
function commandAfter(text: string, said: string): readonly string[] {
  const line = said.split('\n').find((one) => one.trim().startsWith(text));
  const [, words] = / skilled (.*)$/.exec(line ?? '') ?? [];
  assert.ok(words !== undefined, said);
  return words.split(' ');
}

describe('a run that waits for a decision', () => {
  test('is approved from another process by the line that it printed, and finishes', () => {
    using files = tree({ '.git/HEAD': '' });
    const how = program(files);
    const begun = spawnCommand(['run', '/errand'], how);
    assert.deepEqual([begun.code, begun.out], [4, '']);
    const once = spawnCommand(commandAfter('Allow it once:', begun.err), how);
    assert.deepEqual([once.code, once.out], [4, ''], 'the second call is asked about again');
    assert.match(once.err, /^allowed once: "errand" wants to call "lend".*\n {2}errand › lend "one"$/m);
    assert.match(once.err, /^ {2}errand › lend "two"$/m);
    const done = spawnCommand(commandAfter('Allow it once:', once.err), how);
    assert.deepEqual([done.code, done.out], [0, 'lent "one"\nlent "two"\n'], done.err);
  });

  for (const [flag, word] of [
    ['--run', 'allowed for this run'],
    ['--yes', 'allowed once'],
  ] as const) {
    test(`goes on to its end with ${flag}`, () => {
      using files = tree({ '.git/HEAD': '' });
      const how = program(files);
      const { runId } = documentOf(spawnCommand(['run', '/errand', '--json', '-q'], how));
      const ended = spawnCommand(['approve', String(runId), flag], how);
      assert.deepEqual([ended.code, ended.out], [0, 'lent "one"\nlent "two"\n'], ended.err);
      const times = flag === '--run' ? 1 : 2;
      assert.equal(
        ended.err.match(new RegExp(`^${word}: "errand" wants to`, 'gm'))?.length,
        times,
        ended.err,
      );
    });
  }

  test('is followed when another process works on it', async () => {
    using files = tree({ '.git/HEAD': '' });
    const how = program(files);
    const first = startCommand(['run', '/vigil', '--json', '--stream', '-q'], how);
    try {
      await first.told('"approval.requested"');
      const second = spawnCommand(['approve', 'q_'], how);
      assert.deepEqual([second.code, second.out], [0, 'lent "one"\n'], second.err);
      assert.match(second.err, /works on it; following/);
      assert.equal((await first.ended).code, 0);
    } finally {
      first.child.kill('SIGKILL'); // where something failed, it would wait on
    }
  });
});
