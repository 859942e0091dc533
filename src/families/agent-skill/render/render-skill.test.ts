import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { bundleOfText, nowhere } from '../../../core/descriptor/bundle.ts';
import { isAgentError } from '../../../core/error.ts';
import { garbageText } from '../../../testing/garbage.ts';
import type { AgentSkillDefinition } from '../parse.ts';
import { parse } from '../parse.ts';
import { renderSkill } from './render-skill.ts';

const context = { session: 's1', skillDir: '/s/demo', projectDir: '/w' };

function skillWith(body: string, head = ''): AgentSkillDefinition {
  const { definition } = parse(bundleOfText(`---\ndescription: d\n${head}---\n${body}`, nowhere));
  return definition ?? assert.fail('it is usable');
}

describe('a rendered skill', () => {
  test('contains its arguments, and its commands as not run', () => {
    const skill = skillWith(
      '\n# Hi $who\n\nNow: !`date $0`\n\nIn ${CLAUDE_SKILL_DIR}.\n',
      'arguments: [who]\n',
    );
    assert.deepEqual(renderSkill(skill, 'Ann', context), {
      text: "# Hi Ann\n\nNow: [not run: date 'Ann']\n\nIn /s/demo.",
      commands: [{ command: "date 'Ann'", ran: false }],
      replacements: [
        { placeholder: '$who', value: 'Ann', at: 6 },
        { placeholder: '$0', value: 'Ann', at: 24 },
        { placeholder: '${CLAUDE_SKILL_DIR}', value: '/s/demo', at: 32 },
      ],
    });
  });

  test('refuses an argument that a command cannot be given', () => {
    assert.throws(() => renderSkill(skillWith('!`ls $0`'), '-la', context), { code: 'usage.bad-input' });
    assert.equal(
      renderSkill(skillWith('!`ls $ARGUMENTS[0]`', 'allow-dash: yes\n'), '-la', context).text,
      "[not run: ls '-la']",
    );
  });

  test('fails in no other way, whatever it says', () => {
    fc.assert(
      fc.property(garbageText, fc.oneof(fc.string(), fc.jsonValue()), (body, input) => {
        const { definition } = parse(bundleOfText(body, nowhere));
        if (definition === undefined) return;
        try {
          assert.equal(typeof renderSkill(definition, input as never, context).text, 'string');
        } catch (thrown) {
          assert.ok(isAgentError(thrown) && thrown.code === 'usage.bad-input', String(thrown));
        }
      }),
      { numRuns: 200 },
    );
  });
});
