import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, done, ofType, said, settled, type Made } from '../../test/support/kernel.ts';
import type { Json } from '../core/json.ts';

const tool = (label: string): Made => ({
  permission: label,
  allowedSkills: [],
  matches: ((spec: string, input: Json) => spec === input) as never,
  run: (input) => done(`${label}:${JSON.stringify(input)}`),
});

/** What a skill gets that calls others, with its own tools and those of the skills above it. */
async function called(
  lists: readonly (readonly string[] | undefined)[],
  name: string,
  input: Json,
): Promise<string> {
  const chain = lists.map((allowedTools, index): [string, Made] => {
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
  } as Record<string, Made>);
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
          shown = scope.callable.map(({ name }) => name);
          return done();
        },
      },
      look: tool('Look'),
      act: tool('Act'),
      plain: { run: () => done() },
    } as Record<string, Made>);
    assert.equal((await settled(agent.run({ skill: 'top' }).result)).status, 'done');
    assert.deepEqual(shown, ['act']);
  });
});
