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
  type TestSkill,
} from '../../../test/support/kernel.ts';
import { tree } from '../../../test/support/tree.ts';
import type { Json } from '../../core/json.ts';

const tool = (label: string): TestSkill => ({
  permission: label,
  allowedSkills: [],
  matches: (spec: string, input: Json) => spec === input,
  run: (input) => done(`${label}:${JSON.stringify(input)}`),
});

/** Returns the outcomes of a skill's calls, given its own tools and those of the skills above it. */
async function called(
  lists: readonly (readonly string[] | undefined)[],
  name: string,
  input: Json,
): Promise<string> {
  const chain = lists.map((allowedTools, index): [string, TestSkill] => {
    const next = index + 1 < lists.length ? `level-${index + 1}` : name;
    return [
      `level-${index}`,
      {
        ...(allowedTools === undefined ? {} : { allowedTools }),
        run: async (_input, scope) => done(said(await scope.call(next, next === name ? input : null))),
      },
    ];
  });
  await using agent = agentWith({
    ...Object.fromEntries(chain),
    look: tool('Look'),
    act: tool('Act'),
    plain: { allowedSkills: [], run: () => done('plain') },
  });
  const result = await settled(agent.run({ skill: 'level-0' }).result);
  if (result.text === 'policy.denied')
    assert.equal(ofType(await agent.runs.events(result.runId), 'call.refused').length, 1);
  return result.text;
}

describe('the tools of a skill', () => {
  const skills = 'Skill';
  const cases: readonly (readonly [
    lists: readonly (readonly string[] | undefined)[],
    name: string,
    input: Json,
    text: string,
  ])[] = [
    [[undefined], 'act', 'a', 'Act:"a"'],
    [[[]], 'act', 'a', 'policy.denied'],
    [[['Act']], 'act', 'a', 'Act:"a"'],
    [[['act']], 'act', 'a', 'Act:"a"'],
    [[['Act(a)']], 'act', 'a', 'Act:"a"'],
    [[['Act(a)']], 'act', 'b', 'policy.denied'],
    [[['Look']], 'act', 'a', 'policy.denied'],
    [[['Skill(plain)']], 'plain', null, 'plain'],
    [[['Skill(other)']], 'plain', null, 'policy.denied'],
    [[['Skill']], 'act', 'a', 'policy.denied'],
    [[['Skill', 'Act(a)'], undefined], 'act', 'a', 'Act:"a"'],
    [[['Skill', 'Act(a)'], undefined], 'act', 'b', 'policy.denied'],
    [[['Skill', 'Act(a)'], ['Act']], 'act', 'b', 'policy.denied'],
    [[['Skill', 'Act'], ['Act(a)']], 'act', 'a', 'Act:"a"'],
    [[['Skill', 'Act'], [skills, 'Act'], ['Act(b)']], 'act', 'a', 'policy.denied'],
    [[['Skill'], ['Act']], 'act', 'a', 'policy.denied'],
  ];
  for (const [lists, name, input, text] of cases)
    test(`${JSON.stringify(lists)} → ${name} ${JSON.stringify(input)}`, async () =>
      assert.equal(await called(lists, name, input), text));

  test('decide what it is shown, with those of every skill above it', async () => {
    let shown: readonly string[] = [];
    await using agent = agentWith({
      top: {
        allowedTools: ['Skill(low)', 'Act', 'Read'],
        run: async (_input, scope) => done(said(await scope.call('low', null))),
      },
      low: {
        allowedTools: ['Act', 'Look', 'Skill(plain)'],
        run: (_input, scope) => {
          shown = scope.skills.callable.map(({ name }) => name);
          return done();
        },
      },
      look: tool('Look'),
      act: tool('Act'),
      plain: { run: () => done() },
    });
    assert.equal((await settled(agent.run({ skill: 'top' }).result)).status, 'done');
    assert.deepEqual(shown, ['act']);
  });
});

describe('a list that names a skill', () => {
  const family = flowFamily();
  const top: TestSkill = {
    allowedTools: ['Skill(format)'],
    run: async (input, scope) => {
      const names = scope.skills.callable.map(({ name }) => name);
      return done(`${said(await scope.call(String(input), null))} of ${names.join()}`);
    },
  };

  test('does not name one that only is in a folder of that name, or whose name another one has', async () => {
    using files = tree({
      'own/format/FLOW.md': flowText('format', 'own'),
      '.agents/skills/other/format/FLOW.md': flowText('format', 'shadowed'),
      '.agents/skills/format/FLOW.md': flowText('evil', 'evil'),
    });
    const options = { ...flowsIn(files.path, family), additionalSkillRoots: [files.at('own')] };
    await using agent = agentWith({ top }, options);
    const call = async (input: string): Promise<string> =>
      (await settled(agent.run({ skill: 'top', input }).result)).text;
    assert.equal(await call('format'), 'own of format');
    assert.equal(await call('explicit:format'), 'own of format');
    assert.equal(await call('evil'), 'policy.denied of format');
    assert.equal(await call('project:format'), 'policy.denied of format');
  });
});

test('a skill whose name another one has is asked about by a name of its own', async () => {
  using files = tree({
    'own/format/FLOW.md': flowText('format', 'own'),
    '.agents/skills/format/FLOW.md': flowText('format', 'shadowed'),
  });
  const { policy: _policy, ...options } = flowsIn(
    files.path,
    flowFamily({ permission: { runsCode: () => true } }),
  );
  await using agent = agentWith({}, { ...options, additionalSkillRoots: [files.at('own')] });
  const { runId, question } = await settled(agent.run({ skill: 'project:format' }).result);
  assert.match(question?.asks?.rule ?? '', /^Trust\(project:format@/);
  await agent.runs.approve(runId, question?.id ?? '', { allow: 'version' });
  assert.equal((await settled(agent.runs.resume(runId).result)).text, 'shadowed');
  await using denying = agentWith(
    {},
    { ...options, additionalSkillRoots: [files.at('own')], permissions: { deny: ['Skill(format)'] } },
  );
  assert.equal((await settled(denying.run({ skill: 'project:format' }).result)).error?.code, 'policy.denied');
});
