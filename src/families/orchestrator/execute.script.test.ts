import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { done } from '../../../test/support/kernel.ts';
import { leaf } from '../../../test/support/loop-stage.ts';
import { orchestratorStage, type Sections } from '../../../test/support/orchestrator-stage.ts';
import { AgentError } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';
import type { RunResult } from '../../core/run.ts';

const skills = {
  look: leaf((input: Json) => done('', { seen: input })),
  fails: leaf(() => {
    throw new AgentError('skill.failed', 'The line is down.');
  }),
};
const allowed = { 'Allowed Skills': '- look\n- fails' };
const fenced = (script: string): Sections => ({ ...allowed, Script: `\`\`\`sop\n${script}\n\`\`\`` });

async function runScript(sections: Sections, input?: Json): Promise<RunResult> {
  await using on = orchestratorStage({ desk: sections }, [], { skills });
  const result = await on.agent.run({ skill: 'desk', ...(input === undefined ? {} : { input }) }).result;
  assert.equal(on.model.requests.length, 0, 'no model is asked');
  return result;
}

describe('an orchestrator with a script', () => {
  test('runs it without a model and gives the answer with all variables', async () => {
    const { text, value, variables } = await runScript(
      fenced('@a look $input.day\n@b final_answer $a.seen'),
      {
        day: 'Monday',
      },
    );
    assert.deepEqual([text, value], ['Monday', 'Monday']);
    assert.deepEqual(variables?.['a'], { status: 'success', value: { seen: 'Monday' } });
  });

  test('without an answer reports what its variables are', async () => {
    const { text, value } = await runScript(fenced('@a look one\n@b look two'));
    assert.equal(value, undefined);
    assert.match(text, /^a: \{\n {2}"seen": "one"\n\}\nb: /);
  });

  for (const [what, script, input, code, message] of [
    ['a skill that is not allowed', '@a read x', 'in', 'skill.invalid', /oskill\.md: .*Line 15, column 4: /],
    ['a word that is no command', '@a look a\n@b when a', 'in', 'skill.invalid', /oskill\.md: .*Line 16, /],
    [
      'no input where it takes one',
      '@a look $input',
      undefined,
      'usage.bad-input',
      /oskill\.md: .*Line 15, .*\$input/,
    ],
    [
      'a way that leads nowhere',
      '@a look x\n@b look $input.no',
      {},
      'usage.bad-input',
      /@b \(.*oskill\.md:16\): \$input\.no does not exist/,
    ],
    [
      'a step that fails',
      '@a look x\n@b fails $a\n@c final_answer $b',
      'in',
      'skill.failed',
      /@b \(.*oskill\.md:16\): The line is down\./,
    ],
  ] as const) {
    test(`names file and line for ${what}`, async () => {
      const { error } = await runScript(fenced(script), input);
      assert.match(error?.message ?? '', message);
      assert.equal(error?.code, code);
    });
  }

  test('must return a value as declared in its file', async () => {
    const text = (type: string): string =>
      `---\ndescription: d\noutput: {type: ${type}}\nscript: '@a look x'\nallowed-skills: [look]\n---\n`;
    const files = {
      '.agents/skills/right/oskill.md': text('object'),
      '.agents/skills/wrong/oskill.md': text('array'),
    };
    await using on = orchestratorStage({}, [], { skills, files });
    assert.deepEqual((await on.agent.run({ skill: 'right' }).result).value, { seen: 'x' });
    assert.equal((await on.agent.run({ skill: 'wrong' }).result).error?.code, 'skill.no-result');
  });

  test('has no use for a loop or a preparation, which is a finding', async () => {
    const sections = { ...fenced('@a look x'), Session: 'loop', Preparation: 'Look around.' };
    await using on = orchestratorStage({ desk: sections }, [], { skills });
    const { issues } = on.agent.skills.resolve('desk');
    assert.deepEqual(
      issues.map(({ code, message }) => `${code}: ${message.slice(0, 13)}`),
      ['section.unused: A preparation', 'section.unused: A loop has no'],
    );
    assert.deepEqual((await on.agent.run({ skill: 'desk', input: 'x' }).result).value, { seen: 'x' });
  });
});
