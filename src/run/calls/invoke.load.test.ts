import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  agentWith,
  codeOf,
  done,
  flowFamily,
  flowsIn,
  flowText,
  ofType,
  said,
  type TestSkill,
  type Run,
} from '../../../test/support/kernel.ts';
import { tree } from '../../../test/support/tree.ts';
import type { AgentOptions } from '../../agent/options.ts';
import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import type { Bundle } from '../../core/descriptor/bundle.ts';
import type { Family, FamilySpec } from '../../core/family.ts';
import type { Json } from '../../core/json.ts';
import type { PermissionRequest } from '../../core/policy.ts';
import type { SkillCard } from '../../core/skill.ts';
import { createMemoryStore } from '../../stores/memory.ts';

/** Creates a family whose skills can be loaded. The frontmatter of a file has parts of its card as JSON. */
function loadable({ text, ...more }: Partial<FamilySpec<string, unknown>> = {}): Family {
  const plain = flowFamily();
  const spec: Partial<FamilySpec<string, unknown>> = {
    parse(bundle: Bundle) {
      const parsed = plain.parse(bundle) as ReturnType<FamilySpec<string>['parse']>;
      const card = bundle.head.fields.get('card');
      const given = typeof card === 'string' ? (JSON.parse(card) as Partial<SkillCard>) : {};
      return { ...parsed, card: { ...parsed.card, ...given } };
    },
    text: {
      load: async (prepared, input) => done(`loaded ${String(prepared)} ${JSON.stringify(input)}`),
      ...text,
    },
    ...more,
  };
  return flowFamily(spec);
}

function flow(name: string, card: Partial<SkillCard> = {}, body = name): string {
  return flowText(name, body).replace('---\n\n', `card: '${JSON.stringify(card)}'\n---\n\n`);
}

interface Stage extends AsyncDisposable {
  readonly agent: RecursiveSkilledAgent;
}

/** Creates an agent with flows, keyed by name with their cards, and skills defined in code. */
function stage(
  flows: Readonly<Record<string, Partial<SkillCard>>>,
  skills: Readonly<Record<string, TestSkill>>,
  { family = loadable(), ...options }: AgentOptions & { family?: Family } = {},
): Stage {
  const files = tree(
    Object.fromEntries(
      Object.entries(flows).map(([name, card]) => [`.agents/skills/${name}/FLOW.md`, flow(name, card)]),
    ),
  );
  const agent = agentWith(skills, { ...flowsIn(files.path, family), ...options });
  return {
    agent,
    async [Symbol.asyncDispose]() {
      await agent.shutdown();
      files[Symbol.dispose]();
    },
  };
}

const load = { mode: 'load' } as const;
const ok: Run = () => done('ok');

describe('a skill that is loaded', () => {
  test('gives its text to its caller, in a frame of its own', async () => {
    const top: Run = async (_input, scope) => done((await scope.call('guide', { a: 1 }, load)).text);
    await using at = stage({ guide: {} }, { top });
    const { text, runId } = await at.agent.run({ skill: 'top' }).result;
    assert.equal(text, 'loaded guide {"a":1}');
    const started = ofType(await at.agent.runs.events(runId), 'frame.started');
    assert.deepEqual(
      started.map(({ skill, through }) => [skill, through]),
      [
        ['top', undefined],
        ['guide', 'load'],
      ],
    );
  });

  test('is not the skill that is called: one does not stand for the other', async () => {
    const top: Run = async (_input, scope) =>
      done([said(await scope.call('guide', null, load)), said(await scope.call('guide', null))].join(' | '));
    await using at = stage({ guide: {} }, { top });
    assert.equal((await at.agent.run({ skill: 'top' }).result).text, 'loaded guide null | guide');
  });

  test('of a family without texts is refused, and says what to do', async () => {
    const top: Run = async (_input, scope) => scope.call('ok', null, load);
    await using at = stage({}, { top, ok });
    const { error } = await at.agent.run({ skill: 'top' }).result;
    assert.equal(error?.code, 'usage.bad-input');
    assert.equal(error.hint, 'Call it instead.');
  });

  test('can be a whole run', async () => {
    await using at = stage({ guide: {} }, {});
    const result = await at.agent.run({ skill: 'guide', input: 'x', mode: 'load' }).result;
    assert.equal(result.text, 'loaded guide "x"');
  });

  test('is loaded again by a rerun', async () => {
    await using at = stage({ guide: {} }, {});
    const { runId } = await at.agent.run({ skill: 'guide', mode: 'load' }).result;
    assert.equal((await at.agent.runs.rerun(runId).result).text, 'loaded guide null');
  });
});

describe('the tools of a loaded skill', () => {
  const call =
    (...names: readonly string[]): Run =>
    async (_input, scope) => {
      await scope.call('guide', null, load);
      const outputs = [];
      for (const name of names) outputs.push(said(await scope.call(name, null)));
      return done([...outputs, scope.skills.callable.map(({ name }) => name).includes('red')].join(' '));
    };
  const tools = {
    red: { run: ok, permission: 'Red' },
    blue: { run: ok, permission: 'Blue' },
  };

  test('that are disallowed are refused and not offered any more', async () => {
    await using at = stage({ guide: { disallowedTools: ['Red'] } }, { top: call('red', 'blue'), ...tools });
    assert.equal((await at.agent.run({ skill: 'top' }).result).text, 'policy.denied ok false');
  });

  test('do not keep others out by being named', async () => {
    await using at = stage({ guide: { allowedTools: ['Blue'] } }, { top: call('red', 'blue'), ...tools });
    assert.equal((await at.agent.run({ skill: 'top' }).result).text, 'ok ok true');
  });

  test('keep all others out where that is enforced', async () => {
    const guide = { allowedTools: ['Blue'], enforceTools: true } as const;
    await using at = stage({ guide }, { top: call('red', 'blue'), ...tools });
    assert.equal((await at.agent.run({ skill: 'top' }).result).text, 'policy.denied ok false');
  });

  test('keep all others out where settings want that of every skill', async () => {
    const settings = { skills: { enforceTools: true } };
    await using at = stage(
      { guide: { allowedTools: ['Blue'] } },
      { top: call('red', 'blue'), ...tools },
      { settings },
    );
    assert.equal((await at.agent.run({ skill: 'top' }).result).text, 'policy.denied ok false');
  });

  test('bind what is called by the conversation, and nothing beside it', async () => {
    const guide = { disallowedTools: ['Red'] };
    const top: Run = async (_input, scope) => {
      const [inner, outer] = [await scope.call('middle', null), await scope.call('red', null)];
      return done([said(inner), said(outer)].join(' '));
    };
    const middle: Run = async (_input, scope) => {
      await scope.call('guide', null, load);
      return done(said(await scope.call('deep', null)));
    };
    const deep: Run = async (_input, scope) => done(said(await scope.call('red', null)));
    await using at = stage({ guide }, { top, middle, deep, ...tools });
    assert.equal((await at.agent.run({ skill: 'top' }).result).text, 'policy.denied ok');
  });

  test('are told to the policy, with the skill that names them', async () => {
    const requests: PermissionRequest[] = [];
    const policy: AgentOptions['policy'] = {
      decide: (request) => {
        requests.push(request);
        return { decision: 'allow' };
      },
    };
    await using at = stage({ guide: { allowedTools: ['Red'] } }, { top: call('red'), ...tools }, { policy });
    await at.agent.run({ skill: 'top' }).result;
    const red = requests.find(({ skill }) => skill === 'red');
    assert.deepEqual(
      red?.active?.map(({ skill, tools: named }) => [skill, named]),
      [['guide', ['Red']]],
    );
    assert.equal(requests.find(({ skill }) => skill === 'guide')?.active, undefined);
  });

  test('hold again after an interruption', async () => {
    const store = createMemoryStore();
    const top: Run = async (_input, scope) => {
      await scope.call('guide', null, load);
      const answer = await scope.ask('On?');
      return done(`${JSON.stringify(answer)} ${said(await scope.call('red', null))}`);
    };
    await using at = stage({ guide: { disallowedTools: ['Red'] } }, { top, ...tools }, { store });
    const { runId, status } = await at.agent.run({ skill: 'top' }).result;
    assert.equal(status, 'waiting');
    await at.agent.runs.answer(runId, 'yes');
    assert.equal((await at.agent.runs.resume(runId).result).text, '"yes" policy.denied');
  });
});

describe('what the text of a skill calls itself', () => {
  test('is not bound by the tools that it lists for its model', async () => {
    const top: TestSkill = {
      allowedTools: ['Blue'],
      run: async (_input, scope) =>
        done(
          [said(await scope.call('red', 1)), said(await scope.call('red', 2, { asWritten: true }))].join(' '),
        ),
    };
    await using agent = agentWith({ top, red: { run: ok, permission: 'Red' } });
    assert.equal((await agent.run({ skill: 'top' }).result).text, 'policy.denied ok');
  });

  test("is limited to the tools of the skill's callers", async () => {
    const top: TestSkill = {
      allowedTools: ['Blue', 'Skill(middle)'],
      run: async (_input, scope) => done(said(await scope.call('middle', null))),
    };
    const middle: Run = async (_input, scope) =>
      done(said(await scope.call('red', null, { asWritten: true })));
    await using agent = agentWith({ top, middle, red: { run: ok, permission: 'Red' } });
    assert.equal((await agent.run({ skill: 'top' }).result).text, 'policy.denied');
  });

  test('starts no process where settings let no command run', async () => {
    const top: Run = async (_input, scope) =>
      done(
        [
          said(await scope.call('shell', 1, { asWritten: true })),
          said(await scope.call('shell', 2)),
          said(await scope.call('plain', 3, { asWritten: true })),
        ].join(' '),
      );
    const shell: TestSkill = { run: ok, runsProcesses: true, permission: 'Shell' };
    const settings = { skills: { disableShellExecution: true } };
    const policy = { decide: () => ({ decision: 'allow' as const }) };
    await using agent = agentWith({ top, shell, plain: ok }, { settings, policy });
    assert.equal((await agent.run({ skill: 'top' }).result).text, 'policy.shell-disabled ok ok');
  });
});

describe('hooks of a loaded skill', () => {
  test('are a way into the skill of their own, whatever its input has to be', async () => {
    const family = loadable({
      text: { hook: async (_prepared, input) => done('', { objection: `no ${JSON.stringify(input)}` }) },
    });
    const top: Run = async (_input, scope) => {
      const event: Json = { moment: 'before', tool: 'Red' };
      const output = await scope.call('guide', event, { mode: 'hook', asWritten: true });
      return done(output.status === 'done' ? JSON.stringify(output.value) : said(output));
    };
    const guide = { input: { type: 'string' } };
    await using at = stage({ guide }, { top }, { family });
    assert.equal(
      (await at.agent.run({ skill: 'top' }).result).text,
      '{"objection":"no {\\"moment\\":\\"before\\",\\"tool\\":\\"Red\\"}"}',
    );
  });
});

describe('bounds that a skill sets itself', () => {
  test('are its own limits, which cannot be wider than those of its caller', async () => {
    const slow: Run = (_input, scope) =>
      new Promise((_resolve, reject) => {
        scope.signal.addEventListener('abort', () => reject(scope.signal.reason as Error));
      });
    const family = loadable({ execute: async (_p, _i, scope) => slow(null, scope) });
    await using at = stage({ brief: { limits: { callSeconds: 0.05 } } }, {}, { family });
    assert.equal(codeOf(await at.agent.run({ skill: 'brief' }).result), 'limit.time');
  });

  test('are how many of its own kind may be nested below it', async () => {
    const family = loadable({
      async execute(prepared, input, scope) {
        const [next, ...rest] = input as readonly string[];
        if (next === undefined) return done(String(prepared));
        const output = await scope.call(next, rest);
        return done(`${String(prepared)} ${said(output)}`);
      },
    });
    const run = async (nesting: number, ...path: readonly string[]): Promise<string> => {
      await using at = stage({ a: { nesting }, b: {}, c: { nesting: 5 } }, {}, { family });
      return (await at.agent.run({ skill: 'a', input: [...path] }).result).text;
    };
    assert.equal(await run(0, 'b'), 'a limit.depth');
    assert.equal(await run(1, 'b'), 'a b');
    assert.equal(await run(1, 'b', 'c'), 'a b limit.depth');
    assert.equal(await run(2, 'c', 'b'), 'a c b');
  });
});
