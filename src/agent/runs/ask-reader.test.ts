import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, codeOf, done, ofType, settled, textOf, type Run } from '../../../test/support/kernel.ts';
import type { RunResult } from '../../core/run.ts';
import { createMemoryStore } from '../../stores/memory.ts';

const speak: Run = async (_input, { context: { io } }) => {
  io?.outputWriter?.('One moment.');
  const day = await io?.inputReader?.('Which day?');
  io?.outputWriter?.('Thanks.');
  return done(day === undefined ? 'absent' : textOf(day));
};

/** Creates the functions for user interaction, and the list of output lines. */
function stage(answer = 'Monday') {
  const lines: string[] = [];
  const outputWriter = (line: string): void => void lines.push(line);
  return { lines, io: { inputReader: () => Promise.resolve(answer), outputWriter } };
}

const said = ['One moment.', 'Thanks.'];
const ended = ({ status, text }: RunResult): readonly string[] => [status, text];

describe('io', () => {
  test('of the agent works for run, with and without a prompt, and for sessions', async () => {
    const { io, lines } = stage();
    await using agent = agentWith({ speak }, { io });
    for (const request of [
      { skill: 'speak' },
      { skill: 'speak', session: 's' },
      { prompt: '/speak now' },
      { prompt: '/speak now', session: 's' },
    ]) {
      assert.deepEqual(ended(await settled(agent.run(request).result)), ['done', 'Monday']);
      assert.deepEqual(lines.splice(0), said);
    }
    assert.equal(await settled(agent.session('s').skill('speak')), 'Monday');
    assert.deepEqual(lines, said);
  });

  test("of a run or a session takes precedence over the agent's", async () => {
    const [own, other] = [stage(), stage('Friday')];
    await using agent = agentWith({ speak }, { io: other.io });
    assert.equal((await settled(agent.run({ skill: 'speak', io: own.io }).result)).text, 'Monday');
    assert.equal(await settled(agent.session('s', { io: own.io }).skill('speak')), 'Monday');
    assert.deepEqual([own.lines, other.lines], [[...said, ...said], []]);
  });

  test('is recorded, so that a run that another process resumes still has it', async () => {
    const store = createMemoryStore();
    const silent = { ...stage().io, inputReader: async () => undefined };
    await using first = agentWith({ speak }, { store, io: silent });
    const { runId, status } = await settled(first.run({ skill: 'speak' }).result);
    assert.equal(status, 'waiting');
    const [started] = ofType(await first.runs.events(runId), 'run.started');
    assert.deepEqual(started?.io, { reads: true, writes: true });
    await using second = agentWith({ speak }, { store });
    await second.runs.answer(runId, 'Sunday');
    const result = await settled(second.runs.resume(runId).result);
    assert.deepEqual([...ended(result), codeOf(result)], ['done', 'Sunday', '']);
    const notes = ofType(await second.runs.events(runId), 'note.added').map(({ message }) => message);
    assert.deepEqual(notes, said);
  });

  test('of the process that resumes a run answers it, and gets only the new lines', async () => {
    const store = createMemoryStore();
    await using first = agentWith(
      { speak },
      { store, io: { ...stage().io, inputReader: async () => undefined } },
    );
    const { runId } = await settled(first.run({ skill: 'speak' }).result);
    const { io, lines } = stage();
    await using second = agentWith({ speak }, { store });
    assert.deepEqual(ended(await settled(second.runs.resume(runId, { io }).result)), ['done', 'Monday']);
    assert.deepEqual(lines, ['Thanks.']);
  });

  test('gets only the new lines of a run whose question a prompt answers', async () => {
    const { io, lines } = stage();
    await using agent = agentWith({ speak }, { io: { ...io, inputReader: async () => undefined } });
    const turn = { session: 's' };
    assert.equal((await settled(agent.executePrompt('/speak', turn))).status, 'waiting');
    assert.equal((await settled(agent.executePrompt('Sunday', turn))).text, 'Sunday');
    assert.deepEqual(lines, said);
  });

  test('is the same for a rerun, which the rerun itself or the agent answers', async () => {
    const { io, lines } = stage();
    const store = createMemoryStore();
    await using first = agentWith({ speak }, { store, io });
    const { runId } = await settled(first.run({ skill: 'speak' }).result);
    await using second = agentWith({ speak }, { store });
    const other = stage('Friday');
    assert.equal((await settled(second.runs.rerun(runId, { io: other.io }).result)).text, 'Friday');
    assert.equal((await settled(first.runs.rerun(runId).result)).text, 'Monday');
    assert.deepEqual([other.lines, lines], [said, [...said, ...said]]);
    const waiting = await settled(second.runs.rerun(runId).result);
    assert.equal(waiting.status, 'waiting');
  });

  test('is absent for a run that was started without it, even if another agent resumes it', async () => {
    const store = createMemoryStore();
    const asks: Run = async (_input, { ask, context: { io } }) =>
      done(`${textOf(await ask('?'))} ${io === undefined}`);
    await using first = agentWith({ asks }, { store });
    const { runId } = await settled(first.run({ skill: 'asks' }).result);
    await using second = agentWith({ asks }, { store, io: stage().io });
    assert.deepEqual(ended(await settled(second.runs.resume(runId).result)), ['done', 'Monday true']);
  });
});
