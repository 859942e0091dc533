import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  agentWith,
  askAbout,
  flowFamily,
  flowsIn,
  flowText,
  settled,
  until,
  yesPolicy,
} from '../../test/support/kernel.ts';
import { tree, type Tree } from '../../test/support/tree.ts';
import { defaultPorts } from '../config/defaults.ts';
import type { RecursiveSkilledAgent } from '../config/preset.ts';
import type { FamilySpec } from '../core/family.ts';
import type { Store } from '../core/store.ts';
import { createMemoryStore } from '../stores/memory.ts';
import type { AgentOptions } from './options.ts';
import { Preparations } from './preparations.ts';
import { LazyRunServices } from './runs/run-services.ts';
import { newRunId } from '../run/log/sanitize.ts';
import { definitionOf } from '../skills/registry/definition.ts';
import { setUpOf } from './setup.ts';

type Spec = FamilySpec<string, unknown>;

/** Skills on disk and their preparations, with a count of everything that was opened. */
interface Stage extends AsyncDisposable {
  readonly agent: RecursiveSkilledAgent;
  readonly preparations: Preparations;
  readonly services: LazyRunServices;
  readonly store: Store;
  opened: number;
}

function stage(files: Tree, family: Partial<Spec>, more: AgentOptions = {}): Stage {
  const store = typeof more.store === 'object' ? more.store : createMemoryStore();
  const whole = flowFamily({
    ...family,
    generation: { isEarly: (body) => body !== 'late', ...family.generation },
  });
  const options: AgentOptions = { ...flowsIn(files.path, whole), ...more, store };
  const agent = agentWith({}, options);
  const ports = defaultPorts();
  const services = new LazyRunServices({
    options,
    ports,
    skills: agent.skills,
    instructions: agent.instructions,
    setUp: setUpOf(options, ports),
  });
  const staged: Stage = {
    agent,
    services,
    store,
    opened: 0,
    preparations: new Preparations({
      skills: agent.skills,
      definitionOf: (skill, of) => definitionOf(skill, of, agent.limits, undefined),
      open: () => {
        staged.opened++;
        return services.open();
      },
    }),
    async [Symbol.asyncDispose]() {
      staged.preparations.stop();
      await services.close();
      await agent.shutdown();
    },
  };
  return staged;
}

function flows(...names: readonly string[]): Tree {
  return tree(
    Object.fromEntries(names.map((name) => [`skills/${name}/FLOW.md`, flowText(name, `${name}!`)])),
  );
}

async function preparedIn(store: Store): Promise<readonly string[]> {
  const runs = await store.runs({ preparations: true });
  return runs.map(({ prepares, status }) => `${prepares ?? ''} ${status}`).sort();
}

describe('early preparations', () => {
  test('happen before anybody calls, once for each version, and the first call joins them', async () => {
    using files = flows('x', 'y');
    const bodies: string[] = [];
    await using on = stage(files, {
      generation: {
        prepare: async (body) => {
          bodies.push(body);
          return `ready ${body}`;
        },
      },
    });
    const { preparations, services, store } = on;
    await settled(preparations.settled());
    assert.deepEqual(bodies.sort(), ['x!', 'y!']);
    assert.deepEqual(await preparedIn(store), ['x done', 'y done']);
    const { runs } = await services.open();
    await settled(runs.start(newRunId(), { skill: 'x' }));
    preparations.begin();
    await settled(preparations.settled());
    assert.equal(bodies.length, 2);
  });

  test('do not happen by looking at skills, nor before something is executed', async () => {
    using files = flows('x');
    await using on = stage(files, {
      generation: { prepare: () => Promise.reject(new Error('nobody asked for it')) },
    });
    on.agent.skills.list();
    on.agent.skills.diagnostics();
    await on.agent.reload();
    assert.deepEqual([on.preparations.pending, on.opened], [[], 0]);
  });

  test('are left to the first call where the family says so, or nothing', async () => {
    using files = tree({ 'skills/x/FLOW.md': flowText('x', 'late') });
    let times = 0;
    await using says = stage(files, { generation: { prepare: async () => ++times } });
    await settled(says.preparations.settled());
    assert.deepEqual([times, says.opened], [0, 0]);
    const silent = new Preparations({
      skills: agentWith({}).skills,
      definitionOf: () => assert.fail('no family prepares anything early'),
      open: () => assert.fail('no family prepares anything early'),
    });
    await settled(silent.settled());
  });

  test('are not begun for what a person would be asked about, or a rule forbids', async () => {
    using files = flows('x', 'y', 'z');
    const bodies: string[] = [];
    const asking = askAbout('x');
    const policy = {
      decide: (request: Parameters<typeof asking.decide>[0]) =>
        request.skill === 'z' ? ({ decision: 'deny', reason: 'no' } as const) : asking.decide(request),
    };
    await using on = stage(files, { generation: { prepare: async (body) => bodies.push(body) } }, { policy });
    await settled(on.preparations.settled());
    assert.deepEqual(bodies, ['y!']);
  });

  test('code of a bundle that is not trusted is not prepared', async () => {
    using files = flows('x');
    let times = 0;
    const family: Partial<Spec> = {
      generation: { prepare: async () => ++times },
      permission: { runsCode: () => true },
    };
    await using on = stage(files, family, { policy: defaultPorts().openPolicy({}, undefined) });
    await settled(on.preparations.settled());
    assert.equal(times, 0);
    await using free = stage(files, family, { policy: yesPolicy });
    await settled(free.preparations.settled());
    assert.equal(times, 1);
  });

  test('are pending until they end, more of them than work at once', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    using files = flows(...names);
    const release = Promise.withResolvers<string>();
    let begun = 0;
    await using on = stage(files, {
      generation: {
        prepare: () => {
          begun++;
          return release.promise;
        },
      },
    });
    const { preparations, store } = on;
    preparations.begin();
    await until(() => begun === 4 && preparations.pending.length === 6);
    assert.deepEqual(preparations.pending.map(({ skill }) => skill).sort(), names);
    const known = new Set((await store.runs({ preparations: true })).map(({ id }) => id));
    assert.equal(preparations.pending.filter(({ runId }) => known.has(runId)).length, 4);
    release.resolve('ready');
    await settled(preparations.settled());
    assert.deepEqual([begun, preparations.pending], [6, []]);
  });

  test('that fail reject no promise, are recorded in their runs, and are tried again when the files change', async () => {
    using files = flows('x');
    let times = 0;
    const family: Partial<Spec> = {
      generation: {
        prepare: async (body) => {
          times++;
          if (body === 'x!') throw new Error('no disk');
          return 'ready';
        },
      },
    };
    const store = createMemoryStore();
    {
      await using on = stage(files, family, { store });
      await settled(on.preparations.settled());
      await settled(on.preparations.settled());
      assert.deepEqual([times, await preparedIn(store)], [1, ['x failed']]);
      const [issue] = on.preparations.issues;
      assert.deepEqual(
        [issue?.code, issue?.level, issue?.details?.['skill']],
        ['skill.unprepared', 'warning', 'x'],
      );
      assert.equal(issue?.file, files.at('skills/x/FLOW.md'));
    }
    await using again = stage(files, family, { store });
    await settled(again.preparations.settled());
    assert.deepEqual([times, again.preparations.issues.length], [1, 1]);
    files.write('skills/x/FLOW.md', flowText('x', 'better'));
    await again.agent.reload();
    await settled(again.preparations.settled());
    assert.deepEqual([times, await preparedIn(store)], [2, ['x done', 'x failed']]);
    assert.deepEqual(again.preparations.issues, []);
  });

  test('of what another process has prepared are not made again', async () => {
    using files = flows('x');
    let times = 0;
    const store = createMemoryStore();
    for (let process = 0; process < 2; process++) {
      await using on = stage(files, { generation: { prepare: async () => ++times } }, { store });
      await settled(on.preparations.settled());
    }
    assert.equal(times, 1);
  });

  test('also happen for skills that come later, while others are waited for', async () => {
    using files = flows('x');
    const bodies: string[] = [];
    await using on = stage(files, {
      generation: {
        prepare: async (body) => {
          bodies.push(body);
          if (body !== 'x!') return 'ready';
          files.write('more/y/FLOW.md', flowText('y', 'y!'));
          await on.agent.skills.loadDir(files.at('more'));
          return 'ready';
        },
      },
    });
    await settled(on.preparations.settled());
    assert.deepEqual(bodies, ['x!', 'y!']);
  });

  test('that are stopped begin no others', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    using files = flows(...names);
    const release = Promise.withResolvers<string>();
    let begun = 0;
    await using on = stage(files, {
      generation: {
        prepare: () => {
          begun++;
          return release.promise;
        },
      },
    });
    on.preparations.begin();
    await until(() => begun === 4 && on.preparations.pending.length === 6);
    on.preparations.stop();
    release.resolve('ready');
    await settled(on.preparations.settled());
    assert.deepEqual([begun, on.preparations.pending], [4, []]);
  });

  test('never reject, also where the works cannot be opened', async () => {
    using files = flows('x');
    await using on = stage(files, { generation: { prepare: async () => 'ready' } });
    await on.services.close();
    await settled(on.preparations.settled());
    assert.equal(on.preparations.pending.length, 0);
  });

  test('are begun by what the agent executes, told of by it, and waited for before a prompt', async () => {
    using files = flows('x', 'y');
    const release = Promise.withResolvers<string>();
    let begun = 0;
    const family = flowFamily({
      generation: {
        isEarly: () => true,
        prepare: (body) => {
          begun++;
          return release.promise.then((prefix) => `${prefix} ${body}`);
        },
      },
    });
    await using agent = agentWith(
      { hello: () => ({ status: 'done', text: 'hello' }) },
      flowsIn(files.path, family),
    );
    assert.deepEqual(agent.pendingPreparations, []);
    await settled(agent.ready(), 'the preparations that hang');
    assert.deepEqual(agent.pendingPreparations.map(({ skill }) => skill).sort(), ['x', 'y']);
    await until(() => begun === 2);
    assert.equal((await settled(agent.run({ skill: 'hello' }).result)).text, 'hello');
    assert.deepEqual(agent.pendingPreparations.map(({ skill }) => skill).sort(), ['x', 'y']);
    const order: string[] = [];
    const waiting = agent.executePrompt('/x now').then(({ text }) => order.push(text));
    const past = { skipPreparationAwait: true, context: { sessionId: 'other' } };
    order.push((await settled(agent.executePrompt('/hello', past))).text);
    release.resolve('ready');
    await settled(waiting);
    assert.deepEqual(order, ['hello', 'ready x!']);
    await settled(agent.awaitPreparations());
    assert.deepEqual([agent.pendingPreparations, begun], [[], 2]);
  });

  test('are left to the first call, or to a caller that awaits them, if the agent is configured so', async () => {
    using files = flows('x', 'y');
    const bodies: string[] = [];
    const prepare = async (body: string): Promise<string> => bodies[bodies.push(body) - 1] ?? '';
    const family = flowFamily({ generation: { isEarly: () => true, prepare } });
    await using agent = agentWith({}, { ...flowsIn(files.path, family), preparesEarly: false });
    await settled(agent.run({ skill: 'x' }).result);
    assert.deepEqual([bodies, agent.pendingPreparations], [['x!'], []]);
    await settled(agent.awaitPreparations());
    assert.deepEqual(bodies, ['x!', 'y!']);
  });
});
