import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentWith, done, ofType } from '../../../test/support/kernel.ts';

test('a candidate beyond the first 50 is logged with its score', async () => {
  const skills = Object.fromEntries(
    Array.from({ length: 120 }, (_, number) => [
      `translate-${number}`,
      { description: `Translates a letter into language ${number}.`, run: () => done('translated') },
    ]),
  );
  await using agent = agentWith({ ...skills, other: { description: 'Bakes.', run: () => done() } }, {});
  const { runId } = await agent.run({ prompt: 'translate this letter' }).result;
  const [ranked] = ofType(await agent.runs.events(runId), 'candidates.ranked').filter(
    ({ among }) => among === 'workers',
  );
  const translators = ranked?.candidates.filter(({ skill }) => skill.startsWith('translate-')) ?? [];
  assert.equal(translators.length, 120);
  assert.deepEqual(
    translators.filter(({ score, words }) => score === 0 || words.length === 0),
    [],
  );
  const scores = ranked?.candidates.map(({ score }) => score) ?? [];
  assert.deepEqual(
    scores,
    scores.toSorted((a, b) => b - a),
  );
  assert.equal(ranked?.candidates.find(({ skill }) => skill === 'other')?.score, 0);
});
