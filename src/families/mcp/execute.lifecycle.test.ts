import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { startCommand } from '../../../test/support/command-process.ts';
import { until } from '../../../test/support/kernel.ts';
import { mcpEnvironment } from '../../../test/support/mcp-process.ts';
import { fenced, mcpStage, mskillText } from '../../../test/support/mcp-stage.ts';
import { processesWith } from '../../../test/support/processes-with.ts';
import { tree } from '../../../test/support/tree.ts';
import type { JsonObject } from '../../core/json.ts';

const { resolve } = createRequire(import.meta.url);

/** Returns a server whose processes can be recognised by this word. */
const everything = (marker: string): JsonObject => ({
  all: {
    command: 'node',
    args: [resolve('@modelcontextprotocol/server-everything/dist/index.js'), 'stdio', marker],
  },
});

describe('a server that is started for a session', { skip: withoutBubblewrap, concurrency: true }, () => {
  test('serves all its runs, ends with it, and with no other', async () => {
    const marker = randomUUID();
    const script = '@a all.echo message=$input\n@b final_answer $a';
    await using on = mcpStage([], { servers: everything(marker), sections: { Script: fenced(script) } });
    const servers = (): readonly number[] => processesWith(marker, process.execPath);
    const ask = async (session: string): Promise<void> => {
      const { text, error } = await on.agent.run({ skill: 'desk', input: 'hi', session }).result;
      assert.equal(text, 'Echo: hi', JSON.stringify(error));
    };
    await ask('ann');
    const [first] = servers();
    await ask('ann');
    assert.deepEqual(servers(), [first]);
    await ask('bob');
    assert.equal(servers().length, 2);
    await on.agent.deleteSession('ann');
    await until(() => servers().length === 1);
    assert.ok(!servers().includes(first ?? 0));
    await on.agent.shutdown();
    await until(() => processesWith(marker).length === 0);
  });

  test('is gone when the program that started it was killed in a call', async () => {
    const marker = randomUUID();
    const servers = `\`\`\`json\n${JSON.stringify(everything(marker))}\n\`\`\``;
    const Script = fenced('@a all.trigger-long-running-operation duration=600 steps=6\n@b final_answer $a');
    using files = tree({
      'work/.git/HEAD': '',
      'skills/desk/mskill.md': mskillText('desk', { Servers: servers, 'Allowed Tools': '- all.*', Script }),
    });
    const args = [
      'run',
      '/desk',
      'Go.',
      '--skills',
      files.at('skills'),
      '--cwd',
      files.at('work'),
      '--offline',
    ];
    const running = startCommand(args, { env: mcpEnvironment(files.path) });
    await until(() => processesWith(marker, process.execPath).length > 0);
    running.child.kill('SIGKILL');
    await running.ended;
    await until(() => processesWith(marker).length === 0);
  });
});
