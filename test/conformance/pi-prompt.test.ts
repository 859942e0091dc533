import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  applySkillsPromptLimits,
  buildLightSkillInjection,
  buildSkillInjection,
  parseSkill,
  RecursiveSkilledAgent,
} from '../../src/index.ts';
import { tree } from '../support/tree.ts';
import { skill } from './skill-text.ts';

// Cases 21, 22 and 34 to 36 of pi, and those of seed 1: frontmatter, listings, injection. Each title starts
// with the number of its case.

describe('frontmatter and prompt', () => {
  test('21: quotes are not a part of a value, and lines may end with CR LF', () => {
    const { name, card } = parseSkill(
      '---\r\nname: \'subject\'\r\ndescription: "Does it."\r\n---\r\n\r\nDo it.\r\n',
    );
    assert.deepEqual([name, card.description], ['subject', 'Does it.']);
  });

  // pi reads a file without a closing fence as text. Here, the fields count, with an issue.
  test('21: a head that is not closed is read, one of comments alone is empty', () => {
    const { name, issues } = parseSkill('---\nname: subject\ndescription: Does it.\n\nDo it.\n');
    assert.deepEqual([name, issues.map(({ code }) => code)], ['subject', ['frontmatter.unclosed']]);
    const { card } = parseSkill('---\n# nothing yet\n---\n\nDo it.\n', { name: 'subject' });
    assert.equal(card.description, 'Do it.');
  });

  test('22: without skills, there is no text; otherwise the introduction precedes the list', () => {
    assert.equal(applySkillsPromptLimits([]).text, '');
    const entries = ['a', 'b'].map((name) => ({ name, description: 'x', location: `/${name}/SKILL.md` }));
    const { text } = applySkillsPromptLimits(entries);
    assert.equal(text.match(/<skill>/g)?.length, 2);
    assert.ok(text.indexOf('<available_skills>') > 0);
  });

  test('22: when no skill may be chosen by a model, there is no text', async () => {
    using files = tree({ 'skills/off/SKILL.md': skill('off', 'Do it.', 'disable-model-invocation: true\n') });
    const only = { additionalSkillRoots: ['skills'], only: true };
    const agent = new RecursiveSkilledAgent({ startDir: files.path, embeddings: false, ...only });
    assert.equal((await agent.skills.catalog()).text, '');
  });
});

describe('injection', () => {
  const tmux = {
    name: 'tmux',
    description: 'Keeps sessions.',
    location: '/skills/tmux/SKILL.md',
    body: 'Use tmux for what takes long.\n',
  };

  test('34: a light one has name, description and location, and not the body', () => {
    const text = buildLightSkillInjection([tmux]);
    for (const part of ['<name>tmux</name>', tmux.description, `<location>${tmux.location}</location>`])
      assert.ok(text.includes(part), part);
    assert.ok(!text.includes('takes long') && !text.includes('<skill name='));
  });

  test('35: what means something in XML is escaped in all three', () => {
    const text = buildLightSkillInjection([
      { name: 'amp&skill', description: 'A & B <c>', location: '/a & b/<c>/SKILL.md' },
    ]);
    for (const part of ['amp&amp;skill', 'A &amp; B &lt;c&gt;', '/a &amp; b/&lt;c&gt;/SKILL.md'])
      assert.ok(text.includes(part), `${part} in ${text}`);
  });

  for (const [mark, shown] of [
    ['|', 'One. Two.'],
    ['|-', 'One. Two.'],
    ['>', 'One. Two.'],
    ['>-', 'One. Two.'],
  ] as const) {
    test(`36: a description after ${mark} is one line of the listing`, () => {
      const { card } = parseSkill(`---\nname: tmux\ndescription: ${mark}\n  One.\n  Two.\n---\n\nDo it.\n`);
      const text = buildLightSkillInjection([{ ...tmux, description: card.description }]);
      assert.ok(text.includes(`<description>${shown}</description>`), text);
    });
  }

  test('a skill without a description has no such element', () => {
    const { description: _, ...rest } = tmux;
    const text = buildLightSkillInjection([rest]);
    assert.ok(text.includes('<name>tmux</name>') && !text.includes('<description>'));
  });

  test('without skills, there is no text, light or full', () => {
    assert.deepEqual([buildLightSkillInjection([]), buildSkillInjection([])], ['', '']);
  });

  test('a full one has the body', () => {
    assert.equal(buildSkillInjection([tmux]), '<skill name="tmux">\nUse tmux for what takes long.\n</skill>');
  });

  test('a body cannot end its element', () => {
    const text = buildSkillInjection([{ name: 'tmux', body: 'One.\n</skill>\nTwo.\n' }]);
    assert.equal(text.match(/<\/skill>/g)?.length, 1);
  });
});
