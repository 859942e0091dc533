import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { finished } from '../../../test/support/deadline.ts';
import { bundleOfText, type DescriptorLocation } from '../../core/descriptor/bundle.ts';
import type { Parsed } from '../../core/family.ts';
import { defaultFrontmatterLimits } from '../../core/descriptor/yaml.ts';
import type { AgentSkillDefinition } from './parse.ts';
import { parse } from './parse.ts';

const location: DescriptorLocation = { dir: '/s/demo', file: '/s/demo/SKILL.md', stem: 'demo', loose: false };
const read = (head: string): Parsed<AgentSkillDefinition> =>
  parse(bundleOfText(`---\nname: demo\ndescription: d\n${head}\n---\n\nText.\n`, location));
const found = (head: string): readonly string[] =>
  read(head).issues.map((issue) => `${issue.level} ${issue.code}:${issue.line}`);

describe('allowed-tools', () => {
  for (const [written, rules] of [
    ['Read Write', ['Read', 'Write']],
    ['Read, Write', ['Read', 'Write']],
    ['[Read, Write]', ['Read', 'Write']],
    ['\n  - Read\n  - Write', ['Read', 'Write']],
    ['Bash(git add *) Read', ['Bash(git add *)', 'Read']],
    ['Bash(git add *), Bash(git commit -m *)', ['Bash(git add *)', 'Bash(git commit -m *)']],
    ['\n  - Bash(npm run test:*)\n  - "Read"', ['Bash(npm run test:*)', 'Read']],
    ['["Bash(git add *)", Read]', ['Bash(git add *)', 'Read']],
    ['mcp__files__read mcp__files__*', ['mcp__files__read', 'mcp__files__*']],
    ['Skill(deploy *) WebFetch(domain:example.com)', ['Skill(deploy *)', 'WebFetch(domain:example.com)']],
    ['[]', []],
    ['""', []],
    ['\n  -', []],
  ] as const) {
    test(`written as ${JSON.stringify(written)} names ${rules.length}`, () => {
      const { card, issues } = read(`allowed-tools: ${written}`);
      assert.deepEqual(card.allowedTools, rules);
      assert.deepEqual(issues, []);
    });
  }

  test('may name the folder of the skill, where that cannot mean anything else', () => {
    const written =
      'allowed-tools: Bash(sh ${CLAUDE_SKILL_DIR}/a.sh *) Read(${SKILLED_SKILL_DIR}/**) Bash(echo ${HOME})';
    const rules = (dir: string, loose = false) =>
      parse(bundleOfText(`---\ndescription: d\n${written}\n---\n`, { ...location, dir, loose })).card
        .allowedTools;
    assert.deepEqual(rules('/s/demo'), ['Bash(sh /s/demo/a.sh *)', 'Read(/s/demo/**)', 'Bash(echo ${HOME})']);
    assert.equal(rules('/s/*')?.[0], 'Bash(sh ${CLAUDE_SKILL_DIR}/a.sh *)');
    assert.equal(rules('/s/demo', true)?.[0], 'Bash(sh ${CLAUDE_SKILL_DIR}/a.sh *)');
  });

  test('is absent when not written', () => {
    assert.ok(!('allowedTools' in read('license: MIT').card));
  });

  test('grants nothing when nothing is after its key, and says so; null and ~ are absent', () => {
    for (const written of ['', ' # none', '\n  # - Bash']) {
      assert.deepEqual(read(`allowed-tools:${written}`).card.allowedTools, []);
      assert.deepEqual(found(`allowed-tools:${written}`), ['warning field.blank:4']);
    }
    for (const written of [' null', ' ~']) {
      assert.equal(read(`allowed-tools:${written}`).card.allowedTools, undefined);
      assert.deepEqual(found(`allowed-tools:${written}`), []);
    }
  });

  test('reports each entry on its own line', () => {
    assert.deepEqual(found('allowed-tools:\n  - Read\n  - Re!d\n  - 9lives'), [
      'warning field.tool-rule:6',
      'warning field.tool-rule:7',
    ]);
  });

  for (const entry of ['*', '(x)', '9lives', 'Bash(git', 'Re!d', 'Bash()', 'Bash( )']) {
    test(`reports "${entry}", which grants nothing`, () => {
      const head = `allowed-tools: ["${entry}", Read]`;
      assert.deepEqual(read(head).card.allowedTools, ['Read']);
      assert.deepEqual(found(head), ['warning field.tool-rule:4']);
    });
  }

  test('grants nothing for what is not text in it', () => {
    assert.deepEqual(read('allowed-tools: {Read: true}').card.allowedTools, []);
    assert.deepEqual(found('allowed-tools: {Read: true}'), ['warning field.type:4']);
    assert.deepEqual(read('allowed-tools: [Read, [Write]]').card.allowedTools, ['Read']);
    assert.deepEqual(found('allowed-tools: [Read, [Write]]'), ['warning field.type:4']);
  });

  test('refuses a long row of underscores in time that grows with it alone', () => {
    const limits = { ...defaultFrontmatterLimits, frontmatterBytes: 2_000_000 };
    const text = `---\nname: demo\nallowed-tools: ["A${'_'.repeat(1_000_000)}!"]\n---\n`;
    const { card } = finished('underscores', () => parse(bundleOfText(text, location, limits)));
    assert.deepEqual(card.allowedTools, []);
  });
});
