import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { ofType } from '../../../test/support/kernel.ts';
import { call, toolTexts } from '../../../test/support/loop-stage.ts';
import { fenced, mcpStage } from '../../../test/support/mcp-stage.ts';
import type { JsonObject } from '../../core/json.ts';

// The reference servers of the protocol's authors, started in real sandboxes.

const { resolve } = createRequire(import.meta.url);
const server = (name: string, more: JsonObject = {}, ...args: readonly string[]): JsonObject => ({
  command: 'node',
  args: [resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
  ...more,
});

describe('the servers of others', { skip: withoutBubblewrap, concurrency: true }, () => {
  test('filesystem: a script lists and reads files of the workspace, and cannot write or leave it', async () => {
    const script =
      '@all files.list_directory path=notes\n@one files.read_text_file path=$input\n@last final_answer $one.content';
    await using on = mcpStage([], {
      servers: { files: server('filesystem', { workspace: 'read' }, '.') },
      sections: { Script: fenced(script) },
      files: { 'notes/a.txt': 'Bells are out.', 'notes/b.txt': 'x' },
    });
    const { result } = await on.ask('notes/a.txt');
    assert.equal(result.text, 'Bells are out.', JSON.stringify(result.error));
    const variables = result.variables as { all: { value: { content: string } } } | undefined;
    assert.equal(variables?.all.value.content, '[FILE] a.txt\n[FILE] b.txt');
    for (const path of ['/etc/passwd', '../secret']) {
      const { result: refused } = await on.ask(path);
      assert.equal(refused.error?.code, 'server.failed', path);
      assert.match(refused.error?.message ?? '', /mskill\.md:\d+\): "files\.read_text_file" failed/);
    }
  });

  test('filesystem: what it is not granted it does not have', async () => {
    const script = '@a files.write_file path=a.txt content=x\n@b final_answer $a';
    for (const [workspace, isWritten] of [
      ['write', true],
      ['read', false],
    ] as const) {
      await using on = mcpStage([], {
        servers: { files: server('filesystem', { workspace }, '.') },
        sections: { Script: fenced(script) },
      });
      const { result } = await on.ask();
      assert.equal(result.status, isWritten ? 'done' : 'failed', JSON.stringify(result));
      if (isWritten) assert.equal(readFileSync(join(on.folder, 'a.txt'), 'utf8'), 'x');
    }
  });

  test('everything: tools, pictures, structured content, resources and prompts', async () => {
    const calls = [
      call('all-echo', { message: 'Hello' }),
      call('all-get-tiny-image', {}),
      call('all-get-structured-content', { location: 'New York' }),
      call('all-list-resources', {}),
      call('all-list-prompts', {}),
    ];
    await using on = mcpStage([{ calls }, 'Seen.'], { servers: { all: server('everything') } });
    const { result, events } = await on.ask();
    assert.equal(result.text, 'Seen.', JSON.stringify(result.error));
    const [echo, image, structured, resources, prompts] = toolTexts(on.model.requests[1]);
    assert.match(echo ?? '', /Echo: Hello/);
    assert.match(image ?? '', /image\/png, [\d,]+ bytes: kept as the artifact/);
    assert.match(structured ?? '', /"temperature"/);
    assert.match(resources ?? '', /"uri":/);
    assert.match(prompts ?? '', /"simple-prompt"/);
    assert.match(ofType(events, 'artifact.created')[0]?.text ?? '', /^data:image\/png;base64,iVBOR/);
  });

  test('memory: one process serves all calls of a session, and object arguments arrive whole', async () => {
    const create = call('memory-create_entities', {
      entities: [{ name: 'Ann', entityType: 'person', observations: ['rides', 'repairs'] }],
    });
    const search = { calls: [call('memory-search_nodes', { query: 'repairs' })] };
    await using on = mcpStage([{ calls: [create] }, 'Kept.', search, 'Found.'], {
      servers: { memory: server('memory', { env: { MEMORY_FILE_PATH: '/tmp/memory.json' } }) },
    });
    await on.ask('Keep it.');
    const { result } = await on.ask('Who repairs?');
    assert.equal(result.text, 'Found.', JSON.stringify(result.error));
    assert.match(toolTexts(on.model.requests[3]).at(-1) ?? '', /"Ann"[^]*"rides"/);
  });
});
