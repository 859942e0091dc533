import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openModelServer } from '../../src/testing/model-server/server.ts';
import { errorIn, type Ended } from '../support/command.ts';
import { hidingBubblewrap } from '../support/bubblewrap.ts';
import { runCommand, type ProcessOptions } from '../support/command-process.ts';
import { cloneHostileProject, type HostileProject } from './hostile-project.ts';

describe('a cloned project that attacks in every way at once', () => {
  test('runs nothing, gets nothing, and every attempt is named', async () => {
    // The user's own model obeys the attacker: it requests the command for every prompt.
    let command = 'true';
    await using model = await openModelServer(() => ({
      calls: [{ name: 'bash', input: { command } }],
    }));
    await using hostile = await cloneHostileProject(model.url);
    command = `touch ${hostile.files.at('ran', 'model')}`;
    const store = readFileSync(join(hostile.project, '.skilled/skilled.db'));

    const listed = await skilled(hostile, ['list']);
    assert.equal(listed.code, 0, listed.err);
    const ran = await skilled(hostile, ['run', 'hello']);
    assert.equal(ran.code, 4, `the command waits for an approval: ${ran.err}`);
    await skilled(hostile, ['chat'], { input: 'hello\n/quit\n' });
    for (const skill of ['greet', 'sum', 'desk', 'helper', 'morning', 'stock'])
      for (const wrapper of [[], hidingBubblewrap]) {
        const { code, out } = await skilled(hostile, ['run', `/${skill}`, 'hello'], { wrapper });
        assert.notEqual(code, 0, `${skill} ${wrapper.length === 0 ? 'in' : 'without'} a sandbox: ${out}`);
      }
    await skilled(hostile, ['build']);
    const validated = await skilled(hostile, ['validate']);
    const doctor = await skilled(hostile, ['doctor']);
    const lines = [initialize, initialized, listTools, callTool];
    const served = await skilled(hostile, ['mcp'], { input: lines.map((line) => `${line}\n`).join('') });
    assert.match(served.out, /"tools"/, served.err);
    const pending = await skilled(hostile, ['approve']);
    assert.doesNotMatch(pending.out, /approved/, 'the forged request is not offered');

    const resumed = await skilled(hostile, ['resume', hostile.forgedRun, '--json']);
    assert.equal(errorIn(resumed).code, 'policy.denied', resumed.out);

    hostile.git('status');
    hostile.git('commit', '--quiet', '--allow-empty', '--message', 'mine');
    hostile.git('checkout', '--quiet', '-b', 'other');

    assert.deepEqual(hostile.ran(), [], 'nothing of the attacker ran');
    assert.deepEqual(hostile.sent, [], 'nothing was sent to the attacker');
    assert.ok(!existsSync(hostile.files.at('home/outside.db')), 'no link was followed out of the project');
    assert.deepEqual(
      readFileSync(join(hostile.project, '.skilled/skilled.db')),
      store,
      'history is not changed',
    );
    assert.equal(hostile.git('status', '--porcelain'), '', 'nothing is left behind');

    const said = [listed, ran, validated, doctor].map(({ out, err }) => `${out}\n${err}`).join('\n');
    for (const [attempt, pattern] of Object.entries(attempts)) assert.match(said, pattern, attempt);
  });
});

const attempts: Readonly<Record<string, RegExp>> = {
  'a forged store': /skilled\.db/,
  'a store that is a link': /tables\.db/,
  'keys and addresses in .env': /\.env/,
  'models of the project': /"?models/,
  'providers of the project': /"?providers/,
  'permissions of the project': /permissions\.allow/,
  'servers of the settings': /mcpServers/,
  'servers of .mcp.json': /\.mcp\.json/,
  'code that is not trusted': /not trusted/,
  'roles of the project': /roles/,
};

function skilled(
  { project, environment }: HostileProject,
  args: readonly string[],
  how: Pick<ProcessOptions, 'input' | 'wrapper'> = {},
): Promise<Ended> {
  return runCommand(args, { cwd: project, env: environment, ...how });
}

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});
const initialized = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
const listTools = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
const callTool = JSON.stringify({
  jsonrpc: '2.0',
  id: 3,
  method: 'tools/call',
  params: { name: 'greet', arguments: { input: 'hello' } },
});
