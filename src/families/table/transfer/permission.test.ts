import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { agentWith, done, ofType, settled, type Run } from '../../../../test/support/kernel.ts';
import { clock, tableOf } from '../../../../test/support/transfer-stage.ts';
import { tree, type Tree } from '../../../../test/support/tree.ts';
import type { AgentOptions } from '../../../agent/options.ts';
import type { BareAgent } from '../../../agent/recursive-skilled-agent.ts';
import type { RunResult } from '../../../core/run.ts';
import { protectedPaths } from '../../../files/protected.ts';
import { createMemoryStore } from '../../../stores/memory.ts';
import { createRecords } from '../records/records.ts';
import { noProse } from '../rules/drafts.ts';
import { openSchema } from '../schema/open-schema.ts';
import { exportRecords } from './formats.ts';
import { readImport } from './import-records.ts';

const table = tableOf({ part_id: {}, name: {} });
const secret = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz';
const content = `part_id,name\r\nA-1,Bolt\r\nA-2,${secret}\r\n`;

const importing: Run = async (file, scope) => {
  const read = await readImport({ operation: 'import', file: file as string }, table, scope, clock);
  return done('imported', [...read.records]);
};

const asking: Run = async (file, scope) => {
  const read = await readImport({ operation: 'import', file: file as string }, table, scope, clock);
  await scope.ask('Is that so?');
  return done('imported', [...read.records]);
};

const exporting: Run = async (file, scope) => {
  const database = await scope.resources.database();
  const { physical } = await openSchema(database, table);
  const records = createRecords(database, table, physical);
  await scope.step('fill', async (stepId) => {
    const rows = [
      { part_id: 'A-1', name: 'Bolt' },
      { part_id: 'A-2', name: secret },
    ];
    const changes = rows.map((after) => ({ kind: 'add', after }) as const);
    return (await records.write(changes, { stepId, session: 's' })).outcome;
  });
  const context = { table, records, prose: noProse, clock };
  return done('exported', await exportRecords({ operation: 'export', file: file as string }, context, scope));
};

function agentIn(files: Tree, options: AgentOptions = {}): BareAgent {
  const paths = {
    startDir: files.at('work'),
    workspace: files.at('work'),
    database: files.at('records.db'),
  };
  const trustFile = files.at('trust.json');
  return agentWith(
    { importing, asking, exporting },
    { ...paths, trustFile, searchUpwards: false, ...options },
  );
}

function filesWith(more: Readonly<Record<string, string>> = {}): Tree {
  return tree({ 'work/parts.csv': content, 'outside.csv': content, ...more });
}

async function run(agent: BareAgent, skill: string, input: string): Promise<RunResult> {
  return settled(agent.run({ skill, input }).result, skill);
}

describe('an import', () => {
  test('is bound by the rules for reading, under every name of a file, and reads nothing then', async () => {
    using files = filesWith({ 'work/private/parts.csv': content });
    symlinkSync('private', files.at('work/alias'));
    await using agent = agentIn(files, { permissions: { deny: ['Read(private/**)'] } });
    for (const file of [
      'private/parts.csv',
      'alias/parts.csv',
      './x/../private/parts.csv',
      'private/none.csv',
    ]) {
      const { error, runId } = await run(agent, 'importing', file);
      assert.equal(error?.code, 'policy.denied', file);
      assert.match(error.message, /"read" was denied/);
      assert.deepEqual(ofType(await agent.runs.events(runId), 'step.started'), []);
    }
    assert.equal((await run(agent, 'importing', 'parts.csv')).status, 'done');
  });

  test('never leaves the workspace, and waits for nothing', async () => {
    using files = filesWith();
    symlinkSync('../outside.csv', files.at('work/link.csv'));
    execFileSync('mkfifo', [files.at('work/pipe.csv')]);
    await using agent = agentIn(files, { permissions: { allow: ['Read'] } });
    const codes = {
      '../outside.csv': 'policy.denied',
      'link.csv': 'policy.denied',
      'pipe.csv': 'usage.bad-input',
    };
    for (const [file, code] of [
      ...Object.entries(codes),
      [files.at('outside.csv'), 'policy.denied'],
      ['none.csv', 'usage.not-found'],
    ] as const)
      assert.equal((await run(agent, 'importing', file)).error?.code, code, file);
  });

  test('leaves nothing of the file in the log', async () => {
    using files = filesWith();
    await using agent = agentIn(files, { permissions: { allow: ['Read'] } });
    const { runId, question } = await run(agent, 'asking', 'parts.csv');
    assert.equal(question?.kind, 'input');
    const events = await agent.runs.events(runId);
    assert.doesNotMatch(JSON.stringify(events), /A-1|Bolt/);
    const { bytes, rows } = ofType(events, 'step.ended')[0]?.value as { bytes: number; rows: number };
    assert.deepEqual([bytes, rows], [Buffer.byteLength(content), 2]);
  });

  test('continues in another process with the same file, and fails with another one', async () => {
    for (const isChanged of [false, true]) {
      using files = filesWith();
      const store = createMemoryStore();
      const options: AgentOptions = { store, permissions: { allow: ['Read'] } };
      let waiting: RunResult;
      {
        await using first = agentIn(files, options);
        waiting = await run(first, 'asking', 'parts.csv');
      }
      if (isChanged) writeFileSync(files.at('work/parts.csv'), content.replace('Bolt', 'Nut'));
      await using second = agentIn(files, options);
      await second.runs.answer(waiting.runId, 'yes', waiting.question?.id);
      const result = await settled(second.runs.resume(waiting.runId).result);
      assert.equal(result.error?.code, isChanged ? 'skill.changed' : undefined);
    }
  });
});

describe('an export', () => {
  test('writes to no protected path, whatever is allowed', async () => {
    using files = filesWith();
    await using agent = agentIn(files, { permissions: { allow: ['Write'] } });
    for (const { path } of [...protectedPaths, { path: '.env' }]) {
      const { error } = await run(agent, 'exporting', `new/${path}/parts.csv`);
      assert.equal(error?.code, 'policy.denied', path);
    }
    assert.ok(!existsSync(files.at('work/new')));
  });

  test('is bound by the rules for writing, and leaves what was there', async () => {
    using files = filesWith({ 'work/kept/parts.csv': 'old', 'work/.git/x': '' });
    symlinkSync('..', files.at('work/up'));
    await using agent = agentIn(files, { permissions: { allow: ['Write'], deny: ['Write(kept/**)'] } });
    for (const file of ['kept/parts.csv', '../new.csv', 'up/new.csv', files.at('new.csv'), '.git/parts.csv'])
      assert.equal((await run(agent, 'exporting', file)).error?.code, 'policy.denied', file);
    assert.equal(readFileSync(files.at('work/kept/parts.csv'), 'utf8'), 'old');
    assert.equal(existsSync(files.at('new.csv')), false);
  });

  test('asks once, shows what would be written, and writes it exactly when it may', async () => {
    using files = filesWith({ 'work/out.csv': 'old' });
    await using agent = agentIn(files, { permissions: { ask: ['Write'] } });
    const { runId, question } = await run(agent, 'exporting', 'out.csv');
    assert.equal(question?.kind, 'approval');
    const { file_path, content: shown } = question.asks?.input as { file_path: string; content: string };
    assert.equal(file_path, 'out.csv');
    assert.match(shown, /^part_id,name\r\nA-1,Bolt\r\n/);
    assert.equal(shown.includes(secret), false);
    assert.equal(readFileSync(files.at('work/out.csv'), 'utf8'), 'old');

    await agent.runs.approve(runId, question.id, { allow: 'once' });
    const result = await settled(agent.runs.resume(runId).result);
    assert.deepEqual(result.value, { path: 'out.csv', rows: 2, bytes: Buffer.byteLength(content) });
    assert.equal(readFileSync(files.at('work/out.csv'), 'utf8'), content);
    assert.equal(ofType(await agent.runs.events(runId), 'approval.requested').length, 1);
  });

  test('that is not allowed writes nothing', async () => {
    using files = filesWith();
    await using agent = agentIn(files, { permissions: { ask: ['Write'] } });
    const { runId, question } = await run(agent, 'exporting', 'out/new.csv');
    await agent.runs.approve(runId, question?.id ?? '', { deny: 'Not now.' });
    const { error } = await settled(agent.runs.resume(runId).result);
    assert.equal(error?.message, 'Calling "write" was denied: Not now.');
    assert.equal(existsSync(files.at('work/out')), false);
  });
});
