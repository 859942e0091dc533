import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validatePaths } from '../../src/doctor/validate.ts';
import { builtinFamilies } from '../../src/families/index.ts';
import { defaultSkillLimits } from '../../src/skills/limits.ts';
import { openProject } from './open-project.ts';

const projects = ['claude-code', 'codex', 'openclaw', 'pi', 'gemini-cli', 'achilles', 'agentick'];

for (const name of projects) {
  test(`validation and the list agree on every file of a project for ${name}`, async () => {
    await using project = await openProject(name);
    const skills = project.agent.skills.list().filter(({ file }) => file.startsWith(project.files.path));
    const roots = project.agent.roots();
    const options = { families: builtinFamilies, limits: defaultSkillLimits, strict: false, roots };
    assert.ok(skills.length > 0);
    for (const { file, status } of skills) {
      const [verdict] = validatePaths([file], options);
      assert.equal(verdict?.valid, status !== 'invalid', `${file}: ${JSON.stringify(verdict?.issues)}`);
    }
  });
}
