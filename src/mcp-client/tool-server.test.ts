import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../../test/support/bubblewrap.ts';
import { callText, open, stdioEndpoint, toolOf, unhurried } from '../../test/support/tool-server-stage.ts';
import { tree } from '../../test/support/tree.ts';

describe('servers as they are published, in a sandbox', () => {
  test('everything: all kinds of content', async () => {
    await using server = open(stdioEndpoint('npx', ['-y', '@modelcontextprotocol/server-everything']));
    assert.equal(server.endpoint, 'npx @modelcontextprotocol/server-everything');
    assert.equal(await callText(server, 'echo', { message: 'hi' }), 'Echo: hi');
    const weather = await server.call(
      await toolOf(server, 'get-structured-content'),
      { location: 'Chicago' },
      unhurried,
    );
    assert.deepEqual(Object.keys(weather.structured ?? {}).sort(), ['conditions', 'humidity', 'temperature']);
    const image = await server.call(await toolOf(server, 'get-tiny-image'), {}, unhurried);
    assert.ok(image.content.some((part) => part.kind === 'blob' && part.mediaType === 'image/png'));
    const links = await server.call(await toolOf(server, 'get-resource-links'), { count: 2 }, unhurried);
    assert.equal(links.content.filter(({ kind }) => kind === 'link').length, 2);
    const sum = await server.call(await toolOf(server, 'get-sum'), { a: 'x' }, unhurried);
    assert.equal(sum.isError, true);
    assert.deepEqual(await server.features(unhurried), { resources: true, prompts: true, skills: false });
  });

  test('filesystem: only the folders that were granted', { skip: withoutBubblewrap }, async () => {
    using files = tree({ 'in/a.txt': 'inside', 'out/b.txt': 'outside' });
    const endpoint = stdioEndpoint('mcp-server-filesystem', [files.path], { read: [files.at('in')] });
    await using server = open(endpoint);
    assert.equal(await callText(server, 'read_text_file', { path: files.at('in/a.txt') }), 'inside');
    const other = await server.call(
      await toolOf(server, 'read_text_file'),
      { path: files.at('out/b.txt') },
      unhurried,
    );
    assert.equal(other.isError, true);
    const written = await server.call(
      await toolOf(server, 'write_file'),
      { path: files.at('in/c.txt'), content: 'x' },
      unhurried,
    );
    assert.equal(written.isError, true);
  });

  test('memory: what it was told before', async () => {
    using files = tree();
    const environment = { PATH: '/usr/bin', MEMORY_FILE_PATH: files.at('memory.jsonl') };
    const grant = { environment, write: [files.path] };
    await using server = open(stdioEndpoint('npx', ['@modelcontextprotocol/server-memory'], grant));
    const entities = [{ name: 'Ann', entityType: 'person', observations: ['likes tea'] }];
    await callText(server, 'create_entities', { entities });
    assert.match(await callText(server, 'search_nodes', { query: 'tea' }), /Ann/);
  });
});
