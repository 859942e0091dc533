import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import {
  agentWith,
  codeOf,
  done,
  flowFamily,
  flowsIn,
  flowText,
  ofType,
  textOf,
} from '../../../test/support/kernel.ts';
import { tree, type Tree } from '../../../test/support/tree.ts';
import type { Family } from '../../core/family.ts';
import { createMemoryStore } from '../../stores/memory.ts';

const generatedPath = (dir: string): string => `${dir}/made.txt`;

/** Creates a family that writes a file to the folder of a skill before its first call. */
function makingFamily(log: string[]): Family {
  const make = (dir: string, why: string): void => {
    log.push(why);
    writeFileSync(generatedPath(dir), 'made');
  };
  return flowFamily({
    generation: {
      isEarly: () => true,
      isDue: (_definition, dir) => !existsSync(generatedPath(dir)),
      async prepare(definition, scope) {
        if (!existsSync(generatedPath(scope.skill.dir))) make(scope.skill.dir, 'prepared');
        return definition;
      },
      async build(_definition, input, scope) {
        make(scope.skill.dir, `built ${JSON.stringify(input)}`);
        return done('built');
      },
    },
  });
}

function flow(): Tree {
  return tree({ 'skills/x/FLOW.md': flowText('x', 'x') });
}

describe('a skill that changes its folder when it is prepared', () => {
  test('is prepared once, whichever process asks, until what was made is gone', async () => {
    using files = flow();
    const log: string[] = [];
    const store = createMemoryStore();
    for (const expected of [1, 1, 1]) {
      await using agent = agentWith({}, { ...flowsIn(files.path, makingFamily(log)), store });
      for (let time = 0; time < 2; time++) assert.equal((await agent.run({ skill: 'x' }).result).text, 'x');
      assert.equal(log.length, expected);
    }
    rmSync(generatedPath(files.at('skills/x')));
    await using agent = agentWith({}, { ...flowsIn(files.path, makingFamily(log)), store });
    await agent.awaitPreparations();
    assert.deepEqual(log, ['prepared', 'prepared']);
  });

  test('has its new digest in the log, and can be resumed with it', async () => {
    using files = flow();
    const log: string[] = [];
    const store = createMemoryStore();
    const asking = { ...makingFamily(log), execute: asks } as Family;
    const options = { ...flowsIn(files.path, asking), store };
    const run = await (async () => {
      await using agent = agentWith({}, options);
      const begun = agent.run({ skill: 'x' });
      assert.equal((await begun.result).status, 'waiting');
      const [ended] = ofType(await agent.runs.events(begun.id), 'prepare.ended');
      assert.equal(ended?.digest, agent.skills.digest(agent.skills.resolve('x')));
      return begun.id;
    })();
    await using agent = agentWith({}, options);
    await agent.runs.answer(run, 'yes');
    assert.equal((await agent.runs.resume(run).result).text, 'yes');
    assert.deepEqual(log, ['prepared']);
  });
});

test('a skill whose files changed without a watch is prepared by the next call', async () => {
  using files = flow();
  const specs: string[] = [];
  const family = flowFamily({
    generation: {
      prepare: async (definition, scope) => {
        specs.push(readFileSync(`${scope.skill.dir}/spec.txt`, 'utf8'));
        return definition;
      },
    },
  });
  files.write('skills/x/spec.txt', 'one');
  await using agent = agentWith({}, flowsIn(files.path, family));
  for (const text of ['one', 'one', 'two', 'two']) {
    files.write('skills/x/spec.txt', text);
    await agent.run({ skill: 'x' }).result;
  }
  assert.deepEqual(specs, ['one', 'two']);
});

const asks: Family['execute'] = async (_prepared, _input, scope) => done(textOf(await scope.ask('Go on?')));

describe('a build', () => {
  test('is a run of its own through the family, without a preparation before it', async () => {
    using files = flow();
    const log: string[] = [];
    await using agent = agentWith(
      {},
      flowsIn(files.path, {
        ...makingFamily(log),
        generation: { ...makingFamily(log).generation, isEarly: () => false },
      }),
    );
    const run = agent.run({ skill: 'x', mode: 'build', input: { force: true } });
    assert.equal((await run.result).text, 'built');
    assert.deepEqual(log, ['built {"force":true}']);
    const [frame] = ofType(await agent.runs.events(run.id), 'frame.started');
    assert.equal(frame?.through, 'build');
    assert.equal((await agent.run({ skill: 'x' }).result).text, 'x');
    assert.equal(log.length, 1);
  });

  test('of a skill that is made of nothing is refused', async () => {
    using files = flow();
    await using agent = agentWith({}, flowsIn(files.path, flowFamily()));
    const result = await agent.run({ skill: 'x', mode: 'build' }).result;
    assert.equal(codeOf(result), 'usage.bad-input');
  });
});
