import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { skillsAt } from '../../test/support/skills.ts';
import { skillText, tree } from '../../test/support/tree.ts';
import { bundleOfBytes, nowhere } from '../core/descriptor/bundle.ts';
import { buildCatalog } from './catalog.ts';
import { buildLightSkillInjection, buildSkillInjection, type InjectedSkill } from './injection.ts';
import type { Skills } from './skills.ts';

const files = {
  'skills/shell/safe-bash/SKILL.md': skillText('safe-bash', 'Runs commands with care.'),
  'skills/shell/deep/er/tmux/SKILL.md': skillText('tmux', 'Keeps sessions.'),
  'skills/shell/safe-bash/nested/SKILL.md': skillText('leaked'),
  'skills/node_modules/pack/SKILL.md': skillText('packed'),
  'skills/.cache/SKILL.md': skillText('cached'),
};

/** A registered skill with its body, as a subagent gets it. */
function injected(skills: Skills, name: string): InjectedSkill {
  const { name: canonical, card, file } = skills.resolve(name);
  const { body } = bundleOfBytes(readFileSync(file), nowhere);
  return { name: canonical, description: card.description, location: file, body };
}

test('skills at any depth resolve by their bare names, and nothing below a skill, a package or a dot folder does', () => {
  using folder = tree(files);
  const skills = skillsAt(folder.path);
  assert.equal(skills.resolve('safe-bash').file, folder.at('skills/shell/safe-bash/SKILL.md'));
  assert.equal(skills.resolve('tmux').file, folder.at('skills/shell/deep/er/tmux/SKILL.md'));
  for (const name of ['leaked', 'packed', 'cached']) assert.equal(skills.has(name), false, name);
  assert.equal(buildCatalog(skills.list()).shown, 2);
});

test('nested skills are injected in full or in short, in the order in which they are named', () => {
  using folder = tree(files);
  const skills = skillsAt(folder.path);
  const named = ['tmux', 'safe-bash'].map((name) => injected(skills, name));
  assert.equal(
    buildSkillInjection(named),
    '<skill name="tmux">\n# tmux\n\nDo it.\n</skill>\n\n<skill name="safe-bash">\n# safe-bash\n\nDo it.\n</skill>',
  );
  const light = buildLightSkillInjection(named);
  assert.ok(light.indexOf('<name>tmux</name>') < light.indexOf('<name>safe-bash</name>'));
  assert.ok(light.includes(`<location>${folder.at('skills/shell/deep/er/tmux/SKILL.md')}</location>`));
  assert.ok(!light.includes('Do it.'));
});
