import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { documentOf } from '../../../test/support/command.ts';
import { runCommand, startCommand, type ProcessOptions } from '../../../test/support/command-process.ts';
import { errandDone, errandFiles, modelVariables, sleepFiles } from '../../../test/support/command-skills.ts';
import { oskillText } from '../../../test/support/orchestrator-stage.ts';
import { tree, type Tree } from '../../../test/support/tree.ts';
import { openModelServer } from '../../testing/model-server/server.ts';

/** How to start the program as a process of its own. */
function program(files: Tree): ProcessOptions {
  return { env: { HOME: files.at('home'), PATH: '/usr/bin:/bin' }, cwd: files.path };
}

/** The words of a command that was printed behind some text. */
function commandAfter(text: string, said: string): readonly string[] {
  const line = said.split('\n').find((one) => one.trim().startsWith(text));
  const [, words] = / skilled (.*)$/.exec(line ?? '') ?? [];
  assert.ok(words !== undefined, said);
  return words.split(' ');
}

describe('a run that waits for a decision', { concurrency: true }, () => {
  test('is approved from another process by the line that it printed, and finishes', async () => {
    using files = tree({ '.git/HEAD': '', ...errandFiles });
    const how = program(files);
    const begun = await runCommand(['run', '/errand'], how);
    assert.deepEqual([begun.code, begun.out], [4, '']);
    const once = await runCommand(commandAfter('Allow it once:', begun.err), how);
    assert.deepEqual([once.code, once.out], [4, ''], 'the second call is asked about again');
    assert.match(
      once.err,
      /^allowed once: "errand" wants to call "write".*\n {2}errand › write \{"file_path":"loans\/one\.txt"/m,
    );
    assert.match(once.err, /^ {2}errand › write \{"file_path":"loans\/two\.txt"/m);
    const done = await runCommand(commandAfter('Allow it once:', once.err), how);
    assert.deepEqual([done.code, done.out], [0, errandDone], done.err);
  });

  for (const [flag, word] of [
    ['--run', 'allowed for this run'],
    ['--yes', 'allowed once'],
  ] as const) {
    test(`goes on to its end with ${flag}`, async () => {
      using files = tree({ '.git/HEAD': '', ...errandFiles });
      const how = program(files);
      const { runId } = documentOf(await runCommand(['run', '/errand', '--json', '-q'], how));
      const ended = await runCommand(['approve', String(runId), flag], how);
      assert.deepEqual([ended.code, ended.out], [0, errandDone], ended.err);
      const times = flag === '--run' ? 1 : 2;
      assert.equal(
        ended.err.match(new RegExp(`^${word}: "errand" wants to`, 'gm'))?.length,
        times,
        ended.err,
      );
    });
  }

  test('is followed when another process works on it', async () => {
    const script = '@loan write loan.txt 1\n@talk sleep\n@last final_answer "lent" $loan.path "and" $talk';
    const sections = { 'Allowed Skills': '- write\n- sleep', Script: `\`\`\`sop\n${script}\n\`\`\`` };
    using files = tree({
      '.git/HEAD': '',
      'home/.agents/skills/vigil/oskill.md': oskillText('vigil', sections),
      ...sleepFiles,
    });
    const woken = Promise.withResolvers<string>();
    await using server = await openModelServer(() => woken.promise);
    const { env, ...how } = program(files);
    const options = { env: { ...env, ...modelVariables(server) }, ...how };
    const first = startCommand(['run', '/vigil', '--json', '--stream', '-q'], options);
    try {
      await first.told('"approval.requested"');
      const second = startCommand(['approve', 'q_'], options);
      await second.told('works on it; following');
      woken.resolve('woken');
      const { code, out, err } = await second.ended;
      assert.deepEqual([code, out], [0, 'lent loan.txt and woken\n'], err);
      assert.equal((await first.ended).code, 0);
    } finally {
      first.child.kill('SIGKILL'); // where something failed, it would wait on
    }
  });
});
