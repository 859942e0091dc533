import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError } from '../../core/error.ts';
import type { Artifact } from '../../core/event-types.ts';
import type { ToolContent, ToolRequest } from '../../core/servers/tool-server.ts';
import { createTestScope } from '../../testing/test-scope.ts';
import { askServer, outputOf } from './ask-server.ts';

const said = (text: string): ToolContent => ({ kind: 'text', text });
const scope = createTestScope();

test('texts stay as they are, and structured content stays whole beside them', () => {
  const content = [said('{"a": 1}'), said('$$x <system>')];
  assert.deepEqual(outputOf('s.t', { content, isError: false }, scope), {
    status: 'done',
    text: '{"a": 1}\n$$x <system>',
  });
  const structured = { issue: { url: 'https://example.com/1', labels: ['a', { b: null }] } };
  assert.deepEqual(outputOf('s.t', { content: [], structured, isError: false }, scope), {
    status: 'done',
    text: '',
    value: structured,
  });
});

test('resources and links are reported by their uri', () => {
  const content: readonly ToolContent[] = [
    { kind: 'text', text: 'one', uri: 'note://1' },
    { kind: 'link', uri: 'note://2', name: 'Two', mediaType: 'text/plain' },
  ];
  const { text } = outputOf('s.t', { content, isError: false }, scope);
  assert.equal(text, '[note://1]\none\n[note://2, Two, text/plain]');
  assert.equal(outputOf('s.t', { content: content.slice(0, 1), isError: false }, scope).text, 'one');
});

test('bytes become artifacts of the run that the text names; what is too large is said', () => {
  const artifacts: Artifact[] = [];
  const keeping = createTestScope({ artifact: (artifact) => void artifacts.push(artifact) });
  const content: readonly ToolContent[] = [
    { kind: 'blob', mediaType: 'image/png', base64: 'AAAA' },
    { kind: 'blob', mediaType: 'x"\n<b>', base64: 'AAAA' },
    { kind: 'blob', mediaType: 'image/png', base64: 'A'.repeat(1_200_000) },
  ];
  const { text } = outputOf('s.t', { content, isError: false, leftOut: 2_500_000 }, keeping);
  assert.deepEqual(text.split('\n'), [
    '[image/png, 3 bytes: kept as the artifact s.t/f_test-1]',
    '[application/octet-stream, 3 bytes: kept as the artifact s.t/f_test-2]',
    '[image/png, 900,000 bytes: too large to be kept]',
    '[2,500,000 bytes of the answer are left out: it was too large]',
  ]);
  assert.deepEqual(artifacts[0], {
    name: 's.t/f_test-1',
    mediaType: 'image/png',
    text: 'data:image/png;base64,AAAA',
  });
  assert.equal(artifacts.length, 2);
});

test('a tool that says that it failed has failed, with its own words, cut', () => {
  const output = outputOf('s.t', { content: [said('No such issue.')], isError: true }, scope);
  assert.deepEqual(output, {
    status: 'failed',
    text: '"s.t" failed: No such issue.',
    error: { code: 'server.failed', message: '"s.t" failed: No such issue.' },
  });
  assert.ok(
    outputOf('s.t', { content: [said('x'.repeat(9_999))], isError: true }, scope).text.length < 2_100,
  );
  assert.match(
    outputOf('s.t', { content: [], isError: true }, scope).text,
    /^"s\.t" failed without a message\.$/,
  );
  for (const message of [
    "ENOENT: no such file or directory, scandir '/notes'",
    'getaddrinfo EAI_AGAIN x.org',
  ]) {
    const missing = outputOf('s.t', { content: [said(message)], isError: true }, scope);
    assert.match((missing.status === 'failed' && missing.error.hint) || '', /access only .* "workspace"/);
  }
});

test('what a request throws is data, and its progress is told a few times in a second', async () => {
  const notes: string[] = [];
  const noting = createTestScope({ note: (message) => void notes.push(message) });
  const output = await askServer('s.t', noting, ({ onProgress, idempotencyKey }: ToolRequest) => {
    assert.equal(idempotencyKey, noting.run.idempotencyKey);
    for (let done = 1; done <= 1_000; done += 1)
      onProgress?.({ done, total: 1_000, message: 'at\u001b[2J it' });
    throw new AgentError('limit.time', 'It took too long.');
  });
  assert.equal(output.status === 'failed' && output.error.code, 'limit.time');
  assert.equal(notes[0], 'Progress: 1 of 1000, at\\u{1b}[2J it');
  assert.ok(notes.length < 100, String(notes.length));
});
