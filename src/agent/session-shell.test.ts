import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { codeThrown } from '../../test/support/code-thrown.ts';
import { agentWith, askAbout, done, yesPolicy } from '../../test/support/kernel.ts';
import { tree } from '../../test/support/tree.ts';

describe('a command of a session', () => {
  test('runs in the workspace, and how it ended is for the reader', async () => {
    using files = tree({ 'a.txt': 'alpha\n' });
    await using agent = agentWith({}, { workspace: files.path, policy: yesPolicy });
    const session = agent.session('ann');
    const { exitCode, stdout, stderr } = await session.shell('cat a.txt; echo no >&2; exit 3');
    assert.deepEqual([exitCode, stdout, stderr], [3, 'alpha\n', 'no\n']);
    const [run] = await agent.runs.list();
    assert.deepEqual([run?.skill, run?.session], ['bash', 'ann']);
  });

  test('throws when it is refused, waits for a person, is stopped or cannot begin', async () => {
    using files = tree({});
    const options = { workspace: files.path };
    await using careful = agentWith({}, { ...options, policy: askAbout('bash') });
    assert.equal(await codeThrown(careful.session().shell('true')), 'policy.waiting');
    await using strict = agentWith({}, { ...options, permissions: { deny: ['Bash'] } });
    assert.equal(await codeThrown(strict.session().shell('true')), 'policy.denied');
    await using free = agentWith({}, { ...options, policy: yesPolicy });
    const session = free.session();
    assert.equal(await codeThrown(session.shell('sleep 30', { timeoutMs: 50 })), 'limit.time');
    assert.equal(await codeThrown(session.shell('true', { signal: AbortSignal.abort() })), 'usage.cancelled');
    assert.equal(await codeThrown(session.shell('')), 'usage.bad-input');
    free.skills.unregister('bash');
    assert.equal(await codeThrown(session.shell('true')), 'skill.not-found');
  });

  test('does not take the word of a skill that says nothing of a command', async () => {
    await using agent = agentWith({ bash: () => done('fine') }, { policy: yesPolicy });
    assert.equal(await codeThrown(agent.session().shell('true')), 'skill.no-result');
  });
});
