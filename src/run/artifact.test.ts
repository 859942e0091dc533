import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentWith, done, ofType, textOf, type Run } from '../../test/support/kernel.ts';
import { createMemoryStore } from '../stores/memory.ts';
import { mostText } from './clean.ts';

test('an artifact is kept with the run, whole, with its digest and without secrets', async () => {
  await using agent = agentWith(
    {
      makes: (_input, scope) => {
        scope.artifact({
          name: 'a.js',
          mediaType: 'text/javascript',
          text: 'key = "hunter2222"',
          data: { n: 1 },
        });
        return done();
      },
    },
    { secrets: ['hunter2222'] },
  );
  const run = agent.run({ skill: 'makes' });
  await run.result;
  const [made] = ofType(await agent.runs.events(run.id), 'artifact.created');
  assert.equal(made?.name, 'a.js');
  assert.doesNotMatch(made.text, /hunter/);
  assert.match(made.digest, /^sha256:[0-9a-f]{64}$/);
  assert.deepEqual(made.data, { n: 1 });
  assert.ok(!('cut' in made));
});

test('one that is too long is cut and says so', async () => {
  await using agent = agentWith({
    makes: (_input, scope) => {
      scope.artifact({ name: 'a', mediaType: 'text/plain', text: 'x'.repeat(mostText + 1) });
      return done();
    },
  });
  const run = agent.run({ skill: 'makes' });
  await run.result;
  const [made] = ofType(await agent.runs.events(run.id), 'artifact.created');
  assert.equal(made?.text.length, mostText);
  assert.equal(made.cut, true);
});

test('a frame that runs again keeps nothing twice, and equal ones of one execution apart', async () => {
  const store = createMemoryStore();
  const makes: Run = async (_input, scope) => {
    for (let time = 0; time < 2; time++) scope.artifact({ name: 'a', mediaType: 'text/plain', text: 'same' });
    return done(textOf(await scope.ask('Go on?')));
  };
  await using agent = agentWith({ makes }, { store });
  const run = agent.run({ skill: 'makes' });
  assert.equal((await run.result).status, 'waiting');
  await agent.runs.answer(run.id, 'yes');
  assert.equal((await agent.runs.resume(run.id).result).text, 'yes');
  assert.equal(ofType(await agent.runs.events(run.id), 'artifact.created').length, 2);
});
