import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  agentWith,
  codeOf,
  done,
  ofType,
  settled,
  textOf,
  type TestSkill,
} from '../../../test/support/kernel.ts';
import { oskillText } from '../../../test/support/orchestrator-stage.ts';
import { tree, type Tree } from '../../../test/support/tree.ts';
import type { AgentOptions } from '../../agent/options.ts';
import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import type { RunEvent } from '../../core/event.ts';
import type { RunResult } from '../../core/run.ts';
import { createScriptedModel, type Script } from '../../models/scripted.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { runWithCrashes, type Incarnation } from '../../testing/crash-harness.ts';
import { readLog } from '../log/read-log.ts';

interface Stage extends Disposable {
  readonly agent: RecursiveSkilledAgent;
  run(prompt: string): Promise<{ readonly result: RunResult; readonly events: readonly RunEvent[] }>;
}

const orders = {
  Description: 'Collects open orders and customer invoices into a report.',
  Session: 'loop',
  'Allowed Skills': '- order-list',
};
const travel = {
  Description: 'Plans a journey: trains, hotels and tickets.',
  Session: 'loop',
  'Allowed Skills': '- read',
};
const translate: TestSkill = {
  description: 'Translates a letter into French or German.',
  run: (input) => done(`translated ${JSON.stringify(input)}`),
};

/** Creates orchestrators on disk and skills in code. Without a script, there is no model. */
function stage(
  orchestrators: Readonly<Record<string, Readonly<Record<string, string>>>>,
  skills: Readonly<Record<string, TestSkill>>,
  script?: Script,
  options: AgentOptions = {},
): Stage {
  const files = Object.entries(orchestrators).map(([name, sections]) => [
    `.agents/skills/${name}/oskill.md`,
    oskillText(name, sections),
  ]);
  const folder = tree(Object.fromEntries(files) as Record<string, string>);
  const models = script === undefined ? {} : { models: createScriptedModel(script) };
  const agent = agentWith(skills, { startDir: folder.path, searchUpwards: false, ...models, ...options });
  return {
    agent,
    async run(prompt) {
      const handle = agent.run({ prompt });
      const result = await settled(handle.result);
      return { result, events: await agent.runs.events(handle.id) };
    },
    [Symbol.dispose]: () => {
      folder[Symbol.dispose]();
    },
  };
}

function chosenIn(events: readonly RunEvent[]): string {
  const [chosen] = ofType(events, 'skill.selected');
  return `${chosen?.skill} by ${chosen?.by}`;
}

describe('a prompt that names no skill', () => {
  test('goes to the one orchestrator that clearly applies', async () => {
    using given = stage({ orders, travel }, { translate }, ['the report']);
    const { result, events } = await given.run('a report of all open orders and invoices');
    assert.equal(result.text, 'the report');
    assert.equal(result.skill, 'orders');
    assert.equal(chosenIn(events), 'orders by ranking');
    assert.notEqual(ofType(events, 'skill.selected')[0]?.reason ?? '', '');
    const [ranked] = ofType(events, 'candidates.ranked');
    assert.equal(ranked?.among, 'routers');
    assert.equal(ranked?.abstained, false);
    const [best, ...others] = ranked?.candidates ?? [];
    assert.deepEqual(others, [{ skill: 'travel', score: 0, words: [] }]);
    assert.equal(ranked?.omitted, 0);
    assert.equal(best?.skill, 'orders');
    assert.deepEqual([...(best?.words ?? [])].sort(), ['invoices', 'open', 'orders', 'report']);
    await given.agent.shutdown();
  });

  test('is decided by a model between close ones, and none is an answer', async () => {
    const twins = {
      'orders-north': { ...orders, Description: 'Reports open orders of the northern region.' },
      'orders-south': { ...orders, Description: 'Reports open orders of the southern region.' },
    };
    const asked = (reply: string): Script => [reply, 'the answer'];
    using south = stage(twins, { translate }, asked('orders-south'));
    const first = await south.run('report the open orders');
    assert.equal(chosenIn(first.events), 'orders-south by model');
    using none = stage(twins, { translate }, asked('none'));
    const second = await none.run('report the open orders');
    assert.equal(chosenIn(second.events), '(assistant) by ad-hoc');
    using odd = stage(twins, { translate }, asked('I would say both of them.'));
    const third = await odd.run('report the open orders');
    assert.match(chosenIn(third.events), /^orders-(north|south) by ranking$/);
    assert.match(
      ofType(third.events, 'skill.selected')[0]?.reason ?? '',
      /the model did not name a candidate/,
    );
    for (const { agent } of [south, none, odd]) await agent.shutdown();
  });

  test('takes the best of close ones if there is no model', async () => {
    const twins = {
      'orders-north': { ...orders, Description: 'Reports open orders of the northern region.' },
      'orders-south': { ...orders, Description: 'Reports open orders of the southern region.' },
    };
    using given = stage(twins, { translate });
    const { result, events } = await given.run('report the open orders');
    assert.match(chosenIn(events), /^orders-(north|south) by ranking$/);
    assert.equal(codeOf(result), 'model.unavailable');
    await given.agent.shutdown();
  });

  test('goes straight to the only skill that clearly fits, with a model and without', async () => {
    for (const script of [undefined, [] as Script]) {
      using given = stage({ orders }, { translate }, script);
      const { result, events } = await given.run('translate this letter into French');
      assert.equal(result.text, 'translated "translate this letter into French"');
      assert.equal(chosenIn(events), 'translate by ranking');
      const ranked = ofType(events, 'candidates.ranked').map(({ among, abstained }) => [among, abstained]);
      assert.deepEqual(ranked, [
        ['routers', true],
        ['workers', false],
      ]);
      await given.agent.shutdown();
    }
  });

  test('is worked on by a skill made for it where no single one fits', async () => {
    using given = stage({ orders }, { translate }, ['none of them fits']);
    const { result, events } = await given.run('sing a song');
    assert.equal(chosenIn(events), '(assistant) by ad-hoc');
    assert.equal(result.text, 'none of them fits');
    assert.equal(ofType(events, 'frame.started')[0]?.family, 'orchestrator');
    await given.agent.shutdown();
  });

  test('is answered honestly where nothing fits and no model is there', async () => {
    using given = stage({ orders }, { translate });
    const { result, events } = await given.run('tell me a joke');
    assert.equal(chosenIn(events), ' by nothing');
    assert.equal(result.ok, false);
    assert.equal(codeOf(result), 'skill.not-found');
    assert.match(result.text, /No skill fits/);
    assert.match(result.error?.hint ?? '', /skilled models/);
    assert.equal(ofType(events, 'frame.started').length, 0);
    await given.agent.shutdown();
  });
});

describe('what is offered at the top', () => {
  const list: TestSkill = { description: 'Counts bicycles.', run: () => done('1, 2') };

  test('leaves out what an orchestrator has for itself, which can still be named', async () => {
    using given = stage({ travel: { ...travel, 'Allowed Skills': '- cellar' } }, { cellar: list });
    const { result } = await given.run('count the bicycles');
    assert.equal(codeOf(result), 'skill.not-found');
    assert.match(result.text, /cellar/);
    assert.equal((await given.run('/cellar now')).result.text, '1, 2');
    await given.agent.shutdown();
  });

  test('is never lost between two orchestrators that name each other', async () => {
    const one = { ...orders, 'Allowed Skills': '- travel' };
    const other = { ...travel, 'Allowed Skills': '- orders' };
    using given = stage({ orders: one, travel: other }, {}, ['done']);
    assert.equal((await given.run('plan a journey with hotels')).result.skill, 'travel');
    await given.agent.shutdown();
  });

  test('has the tools of the package only where they are exposed', async () => {
    for (const exposeInternalSkills of [true, false]) {
      const model = createScriptedModel(['nothing']);
      const agent = agentWith({ translate }, { models: model, exposeInternalSkills });
      await settled(agent.run({ prompt: 'sing a song' }).result);
      const names = model.requests.flatMap(({ tools = [] }) => tools.map(({ name }) => name));
      assert.equal(names.includes('read'), exposeInternalSkills);
      assert.equal(names.includes('translate'), true);
      await agent.shutdown();
    }
  });
});

describe('a skill that a prompt names', () => {
  const echo: TestSkill = { run: (input) => done(JSON.stringify(input)) };

  test('with a slash or an at sign is called with the words after it', async () => {
    using given = stage({}, { echo });
    assert.equal((await given.run('/echo one "two"')).result.text, '"one \\"two\\""');
    assert.equal((await given.run('@echo one')).result.text, '"one"');
    assert.equal((await given.run('/echo')).result.text, 'null');
    await given.agent.shutdown();
  });

  test('without any words misses the parts that it takes, and not the object that holds them', async () => {
    using given = stage({}, {});
    const { result } = await given.run('/ask-user');
    assert.equal(codeOf(result), 'usage.bad-input');
    assert.match(result.text, /question is required \(string\)/);
    await given.agent.shutdown();
  });

  test('is known by its exact name, and an unknown one has nearest names', async () => {
    using given = stage({}, { 'hello-world': echo });
    const { result } = await given.run('/hello_world x');
    assert.equal(codeOf(result), 'skill.not-found');
    assert.match(result.error?.hint ?? '', /hello-world/);
    assert.match((await given.run('/helo-world x')).result.error?.hint ?? '', /hello-world/);
    await given.agent.shutdown();
  });

  test('that people do not call is not called', async () => {
    using given = stage({}, { hidden: { ...echo, userInvocable: false } });
    assert.equal(codeOf((await given.run('/hidden x')).result), 'usage.bad-input');
    await given.agent.shutdown();
  });
});

const asks: TestSkill = {
  run: async (_input, scope) => done(`in ${textOf(await scope.ask('Which language?'))}`),
};

/**
 * Creates two orchestrators that only a model can choose between. The first one may have a longer description.
 */
function twins(more = ''): Tree {
  const text = (name: string, region: string): string =>
    oskillText(name, { Description: `Reports open orders of the ${region} region.`, Session: 'loop' });
  return tree({
    '.agents/skills/orders-north/oskill.md': text('orders-north', `northern${more}`),
    '.agents/skills/orders-south/oskill.md': text('orders-south', 'southern'),
  });
}

test('a choice that was asked for stays when the candidates say something else of themselves after a crash', async () => {
  using before = twins();
  using after = twins(' and the eastern');
  let asked = 0;
  const live = async ({ number, store }: Incarnation): Promise<RunResult> => {
    const models = createScriptedModel(({ system = '' }) => {
      if (!system.startsWith('You choose')) return 'the report';
      asked += 1;
      return 'orders-south';
    });
    const startDir = (number === 1 ? before : after).path;
    const agent = agentWith({}, { startDir, searchUpwards: false, models, store });
    void store.crashed.then(() => agent.shutdown({ drainMs: 0 }));
    const [known] = await store.runs();
    const { result } =
      known === undefined
        ? agent.run({ prompt: 'report the open orders' })
        : agent.runs.resume(known.id, { takeOver: true });
    const ended = await result;
    await agent.shutdown();
    return ended;
  };
  // After the question is stored, while the model is asked, and before and after its answer is stored. The
  // start of a request is stored while the model works, so a crash there asks again.
  for (const [at, when, times] of [
    [4, 'after', 1],
    [5, 'after', 2],
    [6, 'before', 2],
    [6, 'after', 1],
  ] as const) {
    asked = 0;
    const { outcome, store } = await runWithCrashes({ open: createMemoryStore, live }, [{ at, when }]);
    assert.equal(outcome.text, 'the report', `${at} ${when}: ${outcome.error?.message}`);
    const events = await readLog(store, outcome.runId);
    assert.equal(ofType(events, 'skill.selected')[0]?.skill, 'orders-south');
    assert.equal(ofType(events, 'candidates.ranked').length, 1);
    assert.ok(asked <= times, `${at} ${when}: asked ${asked} times`);
    await store.close();
  }
});

test('an answer finds its run although a skill was added while it waited', async () => {
  const model = createScriptedModel(({ messages }) =>
    messages.at(-1)?.role === 'tool'
      ? `Done: ${messages.at(-1)?.text}`
      : { calls: [{ name: 'asks', input: { input: 'x' } }] },
  );
  const store = createMemoryStore();
  const context = { sessionId: 's' };
  const first = agentWith({ asks }, { models: model, store });
  assert.equal((await settled(first.executePrompt('sing a song', { context }))).status, 'waiting');
  await first.shutdown();
  await using agent = agentWith({ asks, other: { run: () => done() } }, { models: model, store });
  const result = await settled(agent.executePrompt('French', { context }));
  assert.match(result.text, /in French$/, result.error?.message);
  assert.equal(model.requests.length, 2);
});

test('a skill that is made for a prompt cannot be called by the name that the log gives it', async () => {
  await using agent = agentWith({ asks }, { models: createScriptedModel(['never']) });
  const result = await agent.run({ skill: '(assistant)', prompt: 'sing a song' }).result;
  assert.equal(codeOf(result), 'skill.not-found');
});
