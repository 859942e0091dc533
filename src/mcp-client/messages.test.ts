import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolContent } from '../core/servers/tool-server.ts';
import { readToolDefinition } from './lists.ts';
import { createMessageLines, idOfAnswer, withCappedBody, type Line } from './messages.ts';
import { capResult } from './results.ts';

test('bytes become lines wherever they are cut, and one that is too long is passed over', () => {
  const bytes = Buffer.from(
    `{"é":1}\r\n\n{"jsonrpc":"2.0","id":7,"result":"${'x'.repeat(5000)}"}\nlast\nrest`,
  );
  for (const step of [1, 7, 4096, bytes.length]) {
    const cut = createMessageLines(2000);
    const lines: Line[] = [];
    for (let from = 0; from < bytes.length; from += step)
      lines.push(...cut(bytes.subarray(from, from + step)));
    assert.equal(lines.length, 3);
    const [first, second, third] = lines;
    assert.deepEqual([first, third], [{ text: '{"é":1}\r' }, { text: 'last' }]);
    assert.ok(second !== undefined && 'start' in second);
    assert.equal(idOfAnswer(second.start, second.end), 7);
  }
});

test('the request of an answer is found at either end of it', () => {
  assert.equal(idOfAnswer('{"result":{"content":[', 'xx"}]},"jsonrpc":"2.0","id":12}'), 12);
  assert.equal(idOfAnswer('{"jsonrpc":"2.0","id":3,"result":', 'xx"}}'), 3);
  assert.equal(idOfAnswer('{"result":{"id":3,', '"id":4}}'), undefined);
});

test('a body fails where a message of it is too long; a stream of short ones may continue', async () => {
  const answer = (text: string, type: string): Promise<string> =>
    withCappedBody(new Response(text, { headers: { 'content-type': type } }), () => undefined, 1000).text();
  assert.equal((await answer('x'.repeat(1000), 'application/json')).length, 1000);
  await assert.rejects(answer('x'.repeat(1001), 'application/json'));
  const events = ['\n', '\r\n'].map((end) => `data: ${'x'.repeat(600)}${end}${end}`);
  const pieces = (parts: readonly string[]): Promise<string> => {
    const stream = ReadableStream.from(parts.map((part) => Buffer.from(part)));
    const headers = { 'content-type': 'text/event-stream' };
    return withCappedBody(new Response(stream, { headers }), () => undefined, 1000).text();
  };
  for (const event of events) assert.equal((await pieces(Array(5).fill(event))).length, 5 * event.length);
  await assert.rejects(pieces(Array(5).fill('x'.repeat(600))));
});

test('a result keeps what fits: links and texts in their order, blobs whole or not at all', () => {
  const text = (length: number): ToolContent => ({ kind: 'text', text: 'é"'.repeat(length / 2) });
  const blob: ToolContent = { kind: 'blob', mediaType: 'image/png', base64: 'A'.repeat(5000) };
  const small = { content: [text(10)], structured: { a: 1 }, isError: false };
  assert.equal(capResult(small, 3000), small);
  const large = {
    content: [text(100), blob, text(9000), text(10)],
    structured: 'x'.repeat(4000),
    isError: true,
  };
  const capped = capResult(large, 3000);
  assert.ok(Buffer.byteLength(JSON.stringify(capped)) <= 3000);
  assert.ok(Buffer.byteLength(JSON.stringify(capped)) > 2800);
  assert.equal('structured' in capped, false);
  assert.deepEqual(capped.content[0], text(100));
  assert.ok(capped.content.every(({ kind }) => kind === 'text'));
  assert.equal(capped.isError, true);
  const [cappedSize, all] = [capped, large].map((one) => Buffer.byteLength(JSON.stringify(one)));
  assert.ok(Math.abs((capped.leftOut ?? 0) - ((all ?? 0) - (cappedSize ?? 0))) < 50);
});

test('a tool that is described otherwise in anything is another one', () => {
  const tool = {
    name: 'a.b/c-d_e',
    description: 'x',
    inputSchema: { type: 'object', properties: { a: {}, b: {} } },
  };
  const hashOf = (said: object): string => {
    const read = readToolDefinition(said);
    assert.ok(typeof read === 'object');
    return read.hash;
  };
  const same = {
    inputSchema: { properties: { b: {}, a: {} }, type: 'object' },
    description: 'x',
    name: 'a.b/c-d_e',
  };
  assert.equal(hashOf(same), hashOf(tool));
  const others = [
    { description: 'y' },
    { title: 't' },
    { annotations: { readOnlyHint: true } },
    { icons: [] },
  ];
  assert.equal(new Set([tool, ...others.map((other) => ({ ...tool, ...other }))].map(hashOf)).size, 5);
});

test('a tool that cannot be used is distinguished from one that can', () => {
  const inputSchema = { type: 'object' };
  const deep = JSON.parse(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`) as object;
  const faults: readonly (readonly [said: unknown, fault: RegExp])[] = [
    [17, /not an object/],
    [{ inputSchema }, /no valid name/],
    [{ name: '', inputSchema }, /no valid name/],
    [{ name: 'a b', inputSchema }, /no valid name/],
    [{ name: 'a*', inputSchema }, /no valid name/],
    [{ name: 'x'.repeat(129), inputSchema }, /no valid name/],
    [{ name: 'a' }, /input schema/],
    [{ name: 'a', inputSchema: { type: 'string' } }, /input schema/],
    [{ name: 'a', inputSchema: [] }, /input schema/],
    [{ name: 'a', inputSchema, outputSchema: 1 }, /output schema/],
    [{ name: 'a', inputSchema, execution: { taskSupport: 'required' } }, /task/],
    [{ name: 'a', inputSchema: deep }, /too deep/],
  ];
  for (const [said, fault] of faults) assert.match(JSON.stringify(readToolDefinition(said)), fault);
  assert.equal(typeof readToolDefinition({ name: 'a', inputSchema: {} }), 'object');
});
