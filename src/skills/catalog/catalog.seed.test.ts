import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { skillsAt } from '../../../test/support/skills.ts';
import { skillText, tree } from '../../../test/support/tree.ts';
import { bundleOfBytes, nowhere } from '../../core/descriptor/bundle.ts';
import type { Skills } from '../skills.ts';
import { buildCatalog } from './catalog.ts';
import { buildLightSkillInjection, buildSkillInjection, type InjectedSkill } from './injection.ts';

const files = {
  'skills/shell/safe-bash/SKILL.md': skillText('safe-bash', 'Runs commands with care.'),
  'skills/shell/deep/er/tmux/SKILL.md': skillText('tmux', 'Keeps sessions.'),
  'skills/shell/safe-bash/nested/SKILL.md': skillText('leaked'),
  'skills/node_modules/pack/SKILL.md': skillText('packed'),
  'skills/.cache/SKILL.md': skillText('cached'),
};

/** Returns a registered skill with its body, as a subagent receives it. */
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

test('a descriptor of 256,000 bytes is in the catalog, one byte more is not read', () => {
  const fill = (name: string, bytes: number): string => skillText(name).padEnd(bytes, 'x');
  using files = tree({
    'skills/large/SKILL.md': fill('large', 256_000),
    'skills/larger/SKILL.md': fill('larger', 256_001),
  });
  const skills = skillsAt(files.path);
  assert.deepEqual(
    skills.list().map(({ name, status }) => `${name} ${status}`),
    ['large ready', 'larger invalid'],
  );
  const { text, shown } = buildCatalog(skills.list());
  assert.equal(shown, 1);
  assert.ok(text.length < 1000);
});

test('a skill that models may not choose is out of the catalog and still reached by name', () => {
  using files = tree({
    'skills/free/SKILL.md': skillText('free'),
    'skills/manual/SKILL.md': skillText('manual', 'Does it.', 'disable-model-invocation: true\n'),
  });
  const skills = skillsAt(files.path);
  const { text, omitted } = buildCatalog(skills.list());
  assert.ok(text.includes('<name>free</name>') && !text.includes('manual'));
  assert.deepEqual(omitted, []);
  assert.equal(skills.resolve('manual').status, 'ready');
});

test('two hundred registered skills fill a catalog of 150 within 30,000 characters, home as ~', () => {
  const paths = Array.from({ length: 200 }, (_, n) => `skills/group/skill-${String(n).padStart(3, '0')}`);
  using files = tree(
    Object.fromEntries(
      paths.map((path, n) => [`${path}/SKILL.md`, skillText(`skill-${String(n).padStart(3, '0')}`)]),
    ),
  );
  const catalog = buildCatalog(skillsAt(files.path).list(), { home: files.path });
  assert.deepEqual([catalog.shown, catalog.omitted.length, catalog.omitted[0]], [150, 50, 'skill-150']);
  assert.ok(catalog.chars <= 30_000);
  assert.equal(catalog.text.match(/<location>~\/skills\/group\//g)?.length, 150);
  assert.ok(catalog.text.endsWith('\n150 of 200 skills shown; find-skills searches the rest.'));
});
