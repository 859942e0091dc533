import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { codeSkillFiles } from '../../../test/support/code-stage.ts';
import { agentWith, done, yesPolicy } from '../../../test/support/kernel.ts';
import { tree, type Tree } from '../../../test/support/tree.ts';
import type { Json } from '../../core/json.ts';
import { createScriptedModel } from '../../models/scripted.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { liveThrough, type CrashPoint, type Life } from '../../testing/crash-harness.ts';

const code = `export async function action(input: string, scope: any) {
  const word = await scope.model('A word?');
  const first = await scope.call('work', word);
  const both = await Promise.all(['a', 'b'].map((name) => scope.call('work', name)));
  return [word, first.text, ...both.map(({ text }: any) => text)].join(' ');
}`;

/** One process that begins the run of a code skill, or takes it up. */
async function live(life: Life, files: Tree, effects: string[]): Promise<Json | undefined> {
  const model = createScriptedModel(() => {
    effects.push('model');
    return 'lamp';
  });
  await using agent = agentWith(
    {
      work: {
        allowedSkills: [],
        run: async (input: Json) => {
          await life.effect(() => effects.push(String(input)));
          return done(`did ${String(input)}`);
        },
      },
    },
    {
      ...{ startDir: files.path, searchUpwards: false, policy: yesPolicy, models: model },
      ...{ store: life.store, preparesEarly: false },
    },
  );
  if (life.number === 1) return (await agent.run({ skill: 'tells', id: 'r_tells' }).result).value;
  const handle = agent.runs.resume('r_tells');
  return (await handle.result).value;
}

describe('a code skill whose host dies', () => {
  for (const deaths of [
    [{ at: 12, when: 'after' }],
    [
      { at: 9, when: 'after' },
      { at: 3, when: 'before' },
    ],
  ] as const satisfies readonly (readonly CrashPoint[])[]) {
    test(`runs again from its start and gets the same answers: ${JSON.stringify(deaths)}`, async () => {
      using files = tree(codeSkillFiles({ tells: { code } }));
      const effects: string[] = [];
      const work = { open: createMemoryStore, live: (life: Life) => live(life, files, effects) };
      const { outcome, lives } = await liveThrough(work, deaths);
      assert.equal(outcome, 'lamp did lamp did a did b');
      assert.equal(lives, deaths.length + 1);
      assert.deepEqual([...new Set(effects)].sort(), ['a', 'b', 'lamp', 'model']);
      console.log(effects);
    });
  }
});
