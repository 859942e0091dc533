import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, documentOf, leaveHome } from '../../test/support/command.ts';
import { skillText, tree } from '../../test/support/tree.ts';

leaveHome();

const plan = (name: string, script: string): string =>
  `# ${name}\n\n## Description\n\nPlans.\n\n## Script\n\n\`\`\`sop\n${script}\n\`\`\`\n`;
const servers = (name: string, json: string): string =>
  `# ${name}\n\n## Description\n\nServes.\n\n## Servers\n\n\`\`\`json\n${json}\n\`\`\`\n`;
const code = '# jobs\n\n## Description\n\nCounts jobs.\n\n## Input Format\n\nText.\n';
const fields = (more: string): string =>
  `# Stock Skill\n## Table Purpose\nStock.\n## Fields\n### a\nA.\n#### PK\n${more}`;

/** Files whose faults concern only a part of the skill, and files that cannot be used at all. */
const files: Readonly<Record<string, readonly [isUsable: boolean, text: string]>> = {
  'skills/clean/SKILL.md': [true, skillText('clean')],
  'skills/bad-rule/SKILL.md': [true, skillText('bad-rule', 'x', 'allowed-tools: ["*", Read]\n')],
  'skills/bad-denial/SKILL.md': [true, skillText('bad-denial', 'x', 'disallowed-tools: ["Bash("]\n')],
  'skills/unknown-tool/SKILL.md': [true, skillText('unknown-tool', 'x', 'allowed-tools: Reed\n')],
  'skills/no-head/SKILL.md': [true, '# Title\n\nDo it.\n'],
  'skills/empty/SKILL.md': [false, ''],
  'skills/other-head/SKILL.md': [false, '---js\nalert(1)\n---\n'],
  'skills/sound-plan/oskill.md': [true, plan('Sound plan', '@a look')],
  'skills/broken-plan/oskill.md': [false, plan('Broken plan', '@a look\n@b')],
  'skills/one-server/mskill.md': [true, servers('One server', '{"a": {"command": "x"}, "b": {}}')],
  'skills/no-server/mskill.md': [false, servers('No server', '{"b": {}}')],
  'skills/reserved/tskill.md': [true, fields('### constructor\nC.\n')],
  'skills/no-fields/tskill.md': [false, '# No fields Skill\n## Table Purpose\nStock.\n'],
  'skills/jobs/cskill.md': [true, code],
  'skills/note.md': [true, '---\nname: note\n---\n\nText.\n'],
  'agents/helper.md': [true, skillText('helper')],
  'agents/no-text.md': [false, '---\nname: no-text\n---\n'],
  '.claude/commands/plain.md': [true, 'Say hello.\n'],
  '.claude/commands/blank.md': [false, ''],
};

test('list, show, doctor and validate give each file the same verdict', async () => {
  using folder = tree({ '.git/HEAD': '' });
  for (const [file, [, text]] of Object.entries(files)) folder.write(file, text);
  const cwd = ['--cwd', folder.path];
  const unusable = Object.keys(files).filter((file) => files[file]?.[0] === false);
  const expected = unusable.map((file) => folder.at(file)).sort();

  const listed = documentOf(await call(['list', '--json', ...cwd])) as {
    skills: { name: string; file: string; status: string; source: string }[];
  };
  const project = listed.skills.filter(({ source }) => source !== 'bundled');
  assert.deepEqual(
    project.map(({ file }) => file).sort(),
    Object.keys(files)
      .map((file) => folder.at(file))
      .sort(),
  );
  const invalid = project.filter(({ status }) => status === 'invalid');
  assert.deepEqual(invalid.map(({ file }) => file).sort(), expected);

  const ofEach = await Promise.all(
    Object.keys(files).map(async (file) => {
      const { results } = documentOf(await call(['validate', '--json', ...cwd, file])) as Verdicts;
      assert.deepEqual([results.length, results[0]?.path], [1, folder.at(file)], JSON.stringify(results));
      return results;
    }),
  );
  const all = documentOf(await call(['validate', '--json', ...cwd])) as Verdicts;
  for (const results of [ofEach.flat(), all.results])
    assert.deepEqual(rejected(results), expected, JSON.stringify(results));

  for (const { name, status } of invalid) {
    const { skill } = documentOf(await call(['show', name, '--json', ...cwd])) as {
      skill: { status: string };
    };
    assert.equal(skill.status, status, name);
  }

  const { checks } = documentOf(await call(['doctor', '--json', ...cwd])) as {
    checks: { id: string; status: string; details: string[] }[];
  };
  const check = checks.find(({ id }) => id === 'skills');
  assert.equal(check?.status, 'fail');
  assert.equal(
    check.details.filter((line) => unusable.some((file) => line.includes(file))).length,
    unusable.length,
  );
});

type Verdicts = {
  readonly results: { readonly path: string; readonly valid: boolean }[];
};

function rejected(results: Verdicts['results']): readonly string[] {
  return results
    .filter(({ valid }) => !valid)
    .map(({ path }) => path)
    .sort();
}
