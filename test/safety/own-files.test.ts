import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { openDatabase } from '../../src/config/storage/open-database.ts';
import { leaveHome } from '../support/command.ts';
import { createStage } from './stage.ts';
import { runSkill } from './report.ts';

leaveHome();

/** An allowed command that tries to answer questions to a person. */
const answerAll = `
const { DatabaseSync } = require('node:sqlite');
const store = new DatabaseSync('.skilled/skilled.db');
for (const { run_id, body } of store.prepare("select run_id, body from events where type = 'approval.requested'").all())
  store
    .prepare('insert into entries (space, key, long_key, value, expires_at) values (?, ?, null, ?, ?)')
    .run('answers/' + run_id, JSON.parse(body).id, '{"allow":"once"}', Date.now() + 1e9);
`;

describe('a command in a sandbox', () => {
  test('answers no question that a person is asked', async () => {
    using stage = createStage();
    const store = stage.write('.skilled/skilled.db', '');
    stage.write('answer.js', answerAll);
    await using agent = stage.agent({ store, permissions: { allow: ['Bash'] } });
    const first = await runSkill(agent, { skill: 'write', input: { file_path: 'PWNED', content: 'x' } });
    assert.equal(first.result.status, 'waiting');
    const second = await runSkill(agent, {
      skill: 'bash',
      input: { command: `${process.execPath} answer.js` },
    });
    assert.equal(second.result.status, 'done', JSON.stringify(second.result));
    const { status } = await agent.runs.resume(first.result.runId).result;
    assert.equal(status, 'waiting');
    assert.ok(!existsSync(stage.at('PWNED')));
  });

  test('neither sees nor changes the records of tables', async () => {
    using stage = createStage();
    const path = stage.write('data/records.db', '');
    const records = await openDatabase(path);
    await records.write(async (run) => {
      await run({ sql: 'create table kept (value text)', parameters: [] });
      await run({ sql: 'insert into kept values (?)', parameters: ['canary-record'] });
    });
    await using agent = stage.agent({ database: path, permissions: { allow: ['Bash'] } });
    for (const command of [
      'cat data/records.db*',
      'cp data/records.db copy && cat copy',
      'mv data moved; cat moved/records.db data/records.db',
      'echo x > data/records.db',
      'rm -f data/records.db data/records.db-wal',
    ]) {
      const { result } = await runSkill(agent, { skill: 'bash', input: { command } });
      assert.equal(result.status, 'done', JSON.stringify(result));
      assert.doesNotMatch(JSON.stringify(result), /canary-record/, command);
    }
    const rows = await records.read({ sql: 'select * from kept', parameters: [] });
    assert.deepEqual(rows, [{ value: 'canary-record' }]);
    await records.close();
  });

  test('changes no settings of this program', async () => {
    using stage = createStage();
    const file = stage.write('.skilled/settings.json', '{}');
    await using agent = stage.agent({ permissions: { allow: ['Bash'] } });
    for (const command of [
      'echo x > .skilled/settings.json',
      'echo x > .skilled/settings.local.json',
      'mv .skilled moved && mkdir .skilled && echo x > .skilled/settings.json',
      'rm -rf .skilled',
      'ln -sfn /tmp .skilled',
    ])
      await runSkill(agent, { skill: 'bash', input: { command } });
    assert.equal(readFileSync(file, 'utf8'), '{}');
    assert.ok(!existsSync(stage.at('.skilled/settings.local.json')));
  });

  test('leaves nothing in a repository that git would run outside of it', async () => {
    using stage = createStage();
    const hook = stage.at('.git/hooks/pre-commit');
    const config = stage.write('.git/config', '[core]\n');
    stage.write('.git/hooks/.keep', '');
    await using agent = stage.agent({ permissions: { allow: ['Bash'] } });
    for (const command of [
      'echo "touch PWNED" > .git/hooks/pre-commit',
      'printf "[core]\\n\\tfsmonitor = touch PWNED\\n" > .git/config',
      'mv .git moved && mkdir -p .git/hooks && echo "touch PWNED" > .git/hooks/pre-commit',
    ])
      await runSkill(agent, { skill: 'bash', input: { command } });
    assert.ok(!existsSync(hook));
    assert.equal(readFileSync(config, 'utf8'), '[core]\n');
  });
});
