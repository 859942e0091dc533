import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { codeSkillStage } from '../../../test/support/code-skill-stage.ts';
import type { FileStage } from '../../../test/support/file-stage.ts';
import type { JsonObject } from '../../core/json.ts';
import type { SkillEntry } from '../../skills/eligibility/skill-settings.ts';

/** A skill that returns for each of some attempts whether it succeeded. */
const code = `import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
const tries = (attempt: () => unknown): unknown => {
  try {
    return attempt() ?? true;
  } catch {
    return false;
  }
};
export function action(root: string) {
  const skills = root + '/skills';
  return {
    readsOwn: tries(() => readFileSync(skills + '/tries/cskill.md', 'utf8').length > 0),
    seesSibling: tries(() => readFileSync(skills + '/other/cskill.md', 'utf8').length > 0),
    readsWorkspace: tries(() => readFileSync(root + '/notes.txt', 'utf8')),
    writesWorkspace: tries(() => writeFileSync(root + '/made.txt', 'made')),
    changesItself: tries(() => writeFileSync(skills + '/tries/cskill.md', '')),
    changesSibling: tries(() => writeFileSync(skills + '/other/cskill.md', '')),
    startsProcesses: tries(() => String(execFileSync('echo', ['hi'])).trim()),
    variable: process.env.LAMP ?? false,
    secret: Object.keys(process.env).filter((name) => /PLANTED/.test(name)),
  };
}`;

function openStage(entry?: SkillEntry): FileStage {
  const stage = codeSkillStage({ tries: { code }, other: { code } }, [], {
    settings: { skills: { entries: entry === undefined ? {} : { tries: entry } } },
  });
  stage.files.write('notes.txt', 'notes');
  return stage;
}

async function tried(stage: FileStage): Promise<JsonObject> {
  const { result } = await stage.run('tries', stage.files.path);
  assert.equal(result.status, 'done', JSON.stringify(result.error));
  return result.value as JsonObject;
}

describe('the code of a skill', () => {
  test('reads its own folder and has nothing else that was not granted', async () => {
    process.env['PLANTED_SECRET'] = 'hunter2';
    try {
      await using stage = openStage();
      const { writesWorkspace: _private, ...others } = await tried(stage); // it may write to folders that end with its process
      assert.deepEqual(others, {
        readsOwn: true,
        seesSibling: false,
        readsWorkspace: false,
        changesItself: false,
        changesSibling: false,
        startsProcesses: false,
        variable: false,
        secret: [],
      });
      assert.ok(!existsSync(stage.files.at('made.txt')));
    } finally {
      delete process.env['PLANTED_SECRET'];
    }
  });

  test('reads the workspace, starts processes and finds a variable where settings say so', async () => {
    await using stage = openStage({ workspace: 'read', processes: true, env: { LAMP: 'on' } });
    const { readsWorkspace, writesWorkspace, startsProcesses, variable } = await tried(stage);
    assert.deepEqual([readsWorkspace, writesWorkspace], ['notes', false]);
    assert.deepEqual([startsProcesses, variable], ['hi', 'on']);
  });

  test('that may write to the workspace still changes no skill in it', async () => {
    await using stage = openStage({ workspace: 'write' });
    const before = readFileSync(stage.files.at('skills/other/cskill.md'), 'utf8');
    const { writesWorkspace, changesItself, changesSibling } = await tried(stage);
    assert.deepEqual([writesWorkspace, changesItself, changesSibling], [true, false, false]);
    assert.equal(readFileSync(stage.files.at('made.txt'), 'utf8'), 'made');
    assert.equal(readFileSync(stage.files.at('skills/other/cskill.md'), 'utf8'), before);
  });
});
