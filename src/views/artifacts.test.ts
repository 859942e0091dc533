import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentWith, done } from '../../test/support/kernel.ts';
import { artifactsOf } from './run-result.ts';

test('what a run made is listed in its order, with the skill that made it', async () => {
  await using agent = agentWith({
    top: async (_input, scope) => {
      scope.artifact({ name: 'a.txt', mediaType: 'text/plain', text: 'A' });
      await scope.call('below', null);
      scope.artifact({ name: 'a.txt', mediaType: 'text/plain', text: 'x'.repeat(1_000_001) });
      return done();
    },
    below: (_input, scope) => {
      scope.artifact({ name: 'b.json', mediaType: 'application/json', text: '{}', data: { input: 1 } });
      return done();
    },
  });
  const run = agent.run({ skill: 'top' });
  await run.result;
  const found = await agent.runs.artifacts(run.id.slice(0, 10));
  assert.deepEqual(
    found.map(({ number, name, skill, cut, data, text }) => [number, name, skill, cut, data, text.length]),
    [
      [1, 'a.txt', 'top', undefined, undefined, 1],
      [2, 'b.json', 'below', undefined, { input: 1 }, 2],
      [3, 'a.txt', 'top', true, undefined, 1_000_000],
    ],
  );
  assert.deepEqual(found, artifactsOf(await agent.runs.events(run.id)));
  assert.deepEqual(artifactsOf([]), []);
});
