import assert from 'node:assert/strict';
import { test } from 'node:test';
import { skillsAt } from '../../test/support/skills.ts';
import { skillText, tree } from '../../test/support/tree.ts';
import { buildCatalog } from './catalog.ts';

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
