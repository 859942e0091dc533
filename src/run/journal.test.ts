import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, done, ofType, settled, valueOf } from '../../test/support/kernel.ts';

describe('time, chance and notes', () => {
  test('are kept, and notes stand in the order in which they were made', async () => {
    await using agent = agentWith({
      top: async (_input, scope) => {
        scope.note('one');
        const now = await scope.now();
        scope.note('two', { now });
        const chance = [await scope.random(), await scope.random()];
        scope.note('three');
        return done('', [now, ...chance]);
      },
    });
    const run = agent.run({ skill: 'top' });
    const value = valueOf(await run.result) as number[];
    const events = await agent.runs.events(run.id);
    assert.deepEqual(
      ofType(events, 'note.added').map(({ message }) => message),
      ['one', 'two', 'three'],
    );
    assert.deepEqual(
      ofType(events, 'step.ended').map((event) => event.value),
      value,
    );
    assert.deepEqual(
      events.map(({ seq }) => seq),
      events.map((_event, index) => index + 1),
    );
  });

  // defect: a replay tells every note of the frames that it enters again once more
  test('are told once however often the run is taken up', async () => {
    await using agent = agentWith({
      top: async (_input, scope) => {
        scope.note('begins');
        await scope.ask('x');
        scope.note('goes on');
        return done();
      },
    });
    const { runId } = await agent.run({ skill: 'top' }).result;
    await agent.runs.answer(runId, 'A');
    await settled(agent.runs.resume(runId).result);
    const notes = ofType(await agent.runs.events(runId), 'note.added').map(({ message }) => message);
    assert.deepEqual(notes, ['begins', 'goes on']);
  });
});
