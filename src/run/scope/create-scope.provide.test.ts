import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  agentWith,
  done,
  flowFamily,
  flowsIn,
  flowText,
  ofType,
  said,
  settled,
  valueOf,
  yesPolicy,
  type Run,
} from '../../../test/support/kernel.ts';
import { tree } from '../../../test/support/tree.ts';
import { checkLog } from '../../../test/support/program-checks.ts';
import type { AgentOptions } from '../../agent/options.ts';
import { isAgentError } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';
import type { ProvidedSkill, Scope } from '../../core/scope.ts';
import type { Skill } from '../../core/skill.ts';

const free: AgentOptions = { policy: yesPolicy };

/** Creates a skill for a server's tool, as a family does. */
function tool(name = 'box.get', more: Partial<ProvidedSkill> = {}): ProvidedSkill {
  const label = `mcp__${name.replace('.', '__')}`;
  const hash = 'sha256:aa';
  return {
    name,
    source: 'mcp',
    digest: hash,
    card: { description: `Does ${name}.`, label },
    permission: { label, effect: 'It uses a tool.', pin: { key: `key of ${name}`, hash, name } },
    run: async (input) => done(`${name} ${JSON.stringify(input)}`),
    ...more,
  };
}

/** Creates a skill that provides tools and then works. */
function providing(tools: readonly ProvidedSkill[], work: (scope: Scope) => Promise<Json>): Run {
  return async (_input, scope) => {
    scope.skills.provide(tools);
    return done('', await work(scope));
  };
}

function names(skills: readonly Skill[]): readonly string[] {
  return skills.map(({ name }) => name);
}

describe('a provided skill', () => {
  test('is there in the frame of its provider alone, by exactly its name', async () => {
    const call =
      (name: string): Run =>
      async (_input, scope) =>
        done(said(await scope.call(name, null)));
    await using agent = agentWith(
      {
        provider: {
          allowedSkills: ['child'],
          run: providing([tool()], async (scope) => {
            const called = ['box.get', 'Box.Get', 'box-get', 'child', 'sibling'];
            const outputs = await Promise.all(called.map((name) => scope.call(name, 1)));
            return [
              names(scope.skills.callable),
              outputs.map(said),
              scope.skills.lookUp('box.get')?.name ?? null,
            ];
          }),
        },
        child: call('box.get'),
        sibling: call('box.get'),
        top: async (_input, scope) => {
          const first = await scope.call('provider', null);
          return done('', [
            first.status === 'done' ? (first.value ?? null) : null,
            said(await scope.call('box.get', 1)),
          ]);
        },
      },
      free,
    );
    assert.deepEqual(valueOf(await settled(agent.run({ skill: 'top' }).result)), [
      [
        ['box.get', 'child'],
        ['box.get 1', 'skill.not-found', 'skill.not-found', 'skill.not-found', 'policy.denied'],
        'box.get',
      ],
      'skill.not-found',
    ]);
    assert.equal((await agent.run({ skill: 'box.get' }).result).status, 'failed');
    assert.equal(agent.skills.get('box.get'), undefined);
  });

  test('is not taken for a skill whose name reads the same, nor that for it', async () => {
    const known = { allowedSkills: [], permission: 'Known', run: () => done('known') };
    const permissions = { allow: ['Skill(box-get)'] };
    await using agent = agentWith(
      {
        'box-get': known,
        top: providing([tool()], async (scope) => {
          const own = said(await scope.call('box-get', null));
          return [own, said(await scope.call('box.get', null))];
        }),
      },
      { permissions },
    );
    const { status, question } = await settled(agent.run({ skill: 'top' }).result);
    assert.deepEqual([status, question?.asks?.skill], ['waiting', 'box.get'], 'the rule is for the other');
    assert.equal(question?.asks?.rule, 'mcp__box__get(sha256 aa)');
  });

  test('is asked about, for its definition; leave for the run ends with that', async () => {
    let hash = 'sha256:aa';
    const called: Run = async (_input, scope) => {
      const { name, permission, ...rest } = tool();
      const pin = { key: 'k', name, hash };
      scope.skills.provide([{ ...rest, name, permission: { ...permission, pin }, digest: hash }]);
      return done(said(await scope.call(name, null)));
    };
    await using agent = agentWith({
      called,
      top: async (_input, scope) => {
        const texts: string[] = [];
        for (const now of ['sha256:aa', 'sha256:aa', 'sha256:bb']) {
          hash = now;
          texts.push(said(await scope.call('called', texts.length)));
        }
        return done('', texts);
      },
    });
    const first = await settled(agent.run({ skill: 'top' }).result);
    assert.match(first.question?.asks?.rule ?? '', /\(sha256 aa\)$/);
    await agent.runs.approve(first.runId, first.question?.id ?? '', { allow: 'run' });
    const second = await settled(agent.runs.resume(first.runId).result);
    assert.match(
      second.question?.asks?.rule ?? '',
      /\(sha256 bb\)$/,
      'only the other definition is asked about',
    );
    await agent.runs.approve(first.runId, second.question?.id ?? '', { deny: 'Not that.' });
    const { value } = await settled(agent.runs.resume(first.runId).result);
    assert.deepEqual(value, ['box.get null', 'box.get null', 'policy.denied']);
  });

  test('is under the lists of its provider and of every caller above', async () => {
    const provide: Run = providing([tool('box.get'), tool('box.put')], async (scope) => {
      const outputs = await Promise.all(['box.get', 'box.put'].map((name) => scope.call(name, null)));
      return [names(scope.skills.callable.filter(({ source }) => source === 'mcp')), outputs.map(said)];
    });
    /** A family whose skill disallows tools, and either provides tools or calls a skill that does. */
    const family = flowFamily({
      parse: ({ body, head }) => ({
        name: head.fields.get('name') as string,
        card: { description: 'Disallows.', disallowedTools: [body.trim()] },
        definition: '',
        issues: [],
      }),
      execute: async (_definition, input, scope) =>
        scope.skill.name === 'without' ? provide(input, scope) : scope.call('open', null),
    });
    using files = tree({
      '.agents/skills/without/FLOW.md': flowText('without', 'mcp__box__get'),
      '.agents/skills/below/FLOW.md': flowText('below', 'mcp__box__*'),
    });
    await using agent = agentWith(
      {
        open: provide,
        listed: { allowedTools: ['mcp__box__get'], run: provide },
        above: {
          allowedTools: ['mcp__*__put', 'Skill(open)'],
          run: (_input, scope) => scope.call('open', null),
        },
      },
      flowsIn(files.path, family),
    );
    const all = ['box.get null', 'box.put null'];
    const only = (index: number): readonly string[] =>
      all.map((text, at) => (at === index ? text : 'policy.denied'));
    const expected: Readonly<Record<string, Json>> = {
      open: [['box.get', 'box.put'], all],
      listed: [['box.get'], only(0)],
      without: [['box.put'], only(1)],
      above: [['box.put'], only(1)],
      below: [[], only(-1)],
    };
    for (const [skill, value] of Object.entries(expected))
      assert.deepEqual(valueOf(await agent.run({ skill }).result), value, skill);
  });

  test('takes what its schema says, is a single call for the budget, and has no other way in', async () => {
    const input = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const checked = tool('box.get', { card: { description: 'Gets.', label: 'mcp__box__get', input } });
    await using agent = agentWith(
      {
        top: providing([checked], async (scope) => {
          const outputs = [
            await scope.call('box.get', { n: 'one' }),
            await scope.call('box.get', { n: 1 }, { mode: 'load' }),
            await scope.call('box.get', { n: 1 }),
            await scope.call('box.get', { n: 2 }),
          ];
          return outputs.map(said);
        }),
      },
      { ...free, limits: { leafCalls: 1, frames: 1 } },
    );
    const { id, result } = agent.run({ skill: 'top' });
    const expected = ['usage.bad-input', 'usage.bad-input', 'box.get {"n":1}', 'limit.calls'];
    assert.deepEqual(valueOf(await result), expected);
    const [, started] = ofType(await agent.runs.events(id), 'frame.started');
    assert.deepEqual(
      [started?.skill, started?.leaf, started?.provided, started?.digest],
      ['box.get', true, true, 'sha256:aa'],
    );
  });

  test('of one name cannot be there twice, whenever it is provided', async () => {
    const attempt = async (scope: Scope, tools: readonly ProvidedSkill[]): Promise<string> => {
      try {
        return names(scope.skills.provide(tools)).join();
      } catch (thrown) {
        return isAgentError(thrown) ? thrown.code : String(thrown);
      }
    };
    await using agent = agentWith(
      {
        top: async (_input, scope) =>
          done('', [
            await attempt(scope, [tool('a.x'), tool('a.x')]),
            await attempt(scope, [tool('a.x')]),
            await attempt(scope, [tool('b.x'), tool('a.x')]),
            await attempt(scope, [tool('a.X')]),
            names(scope.skills.callable.filter(({ source }) => source === 'mcp')),
          ]),
      },
      free,
    );
    assert.deepEqual(valueOf(await agent.run({ skill: 'top' }).result), [
      ...['skill.duplicate', 'a.x', 'skill.duplicate', 'a.X'],
      ['a.x', 'a.X'],
    ]);
  });

  test('fails as data, and is in the log by a name that can be kept, whatever a server calls it', async () => {
    const secret = 'canary-9f27c1d0e6b84a53';
    const odd = [
      'box.a b',
      'box.</skill>',
      'box.\u001b[31m',
      'box.__proto__',
      `box.${secret}`,
      `box.${'x'.repeat(5_000)}`,
    ];
    await using agent = agentWith(
      {
        top: providing(
          [
            ...odd.map((name) => tool(name, { run: async () => done('ok') })),
            tool('box.bad', { run: () => Promise.reject(new Error('gone')) }),
          ],
          async (scope) => {
            const outputs = await Promise.all([...odd, 'box.bad'].map((name) => scope.call(name, null)));
            return outputs.map(said);
          },
        ),
      },
      { ...free, secrets: [secret] },
    );
    const { id, result } = agent.run({ skill: 'top' });
    assert.deepEqual(valueOf(await result), [...odd.map(() => 'ok'), 'internal.bug']);
    const events = await agent.runs.events(id);
    checkLog(events);
    assert.ok(!JSON.stringify(events).includes(secret));
    const skills = ofType(events, 'frame.started').map(({ skill }) => skill);
    assert.equal(new Set(skills).size, odd.length + 2);
    assert.ok(skills.every((name) => name.length < 400));
  });
});
