import assert from 'node:assert/strict';
import { symlinkSync, truncateSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { JsonObject } from '../core/json.ts';
import { callBuiltin, doneOf, errorOf, isMeant } from '../../test/support/built-in.ts';
import { tree, type Tree } from '../../test/support/tree.ts';
import { RecursiveSkilledAgent } from '../config/preset.ts';
import { defineSkill } from '../core/define-skill.ts';
import { grep } from './grep.ts';

type Done = ReturnType<typeof doneOf>;

async function search(files: Tree, input: JsonObject): Promise<Done> {
  return doneOf(await callBuiltin(grep, input, { workspace: files.path }));
}

async function content(files: Tree, input: JsonObject): Promise<string> {
  return (await search(files, { output_mode: 'content', ...input })).text;
}

describe('grep for a known secret searches for it, and shows it nowhere', () => {
  const secret = 'open-sesame-1234';
  const search = defineSkill({
    name: 'search',
    description: 'Searches.',
    run: (_input, scope) => scope.call('grep', { pattern: secret, output_mode: 'content' }),
  });
  const requests = {
    'as input': { skill: 'grep', input: { pattern: secret, output_mode: 'content' } },
    'in a prompt': { prompt: `/grep ${secret}` },
    'called by code': { skill: 'search' },
  } as const;
  for (const [how, request] of Object.entries(requests))
    test(how, async () => {
      using files = tree({ 'a.txt': `x\nkey=${secret}\n`, 'b.txt': 'redacted' });
      const options = { secrets: [secret], workspace: files.path, only: true, embeddings: false };
      await using agent = await new RecursiveSkilledAgent(options).ready();
      agent.skills.register(search);
      const handle = agent.run(request);
      const { text } = await handle.result;
      assert.equal(text, how === 'in a prompt' ? 'a.txt' : 'a.txt:2:key=[redacted]');
      assert.ok(!JSON.stringify(await agent.runs.events(handle.id)).includes(secret));
    });
});

describe('grep', { concurrency: 2 }, () => {
  test('gives files, lines or counts', async () => {
    using files = tree({ 'a.txt': 'foo\nbar\nfoo foo\n', 'b/c.txt': 'Foo', 'd.txt': 'none' });
    const found = await search(files, { pattern: 'fo+' });
    assert.deepEqual(found, { status: 'done', text: 'a.txt', value: { files: ['a.txt'], truncated: false } });
    const counted = await search(files, { pattern: 'foo', output_mode: 'count', case_insensitive: true });
    assert.equal(counted.text, 'a.txt:2\nb/c.txt:1');
    const counts = [
      { path: 'a.txt', count: 2 },
      { path: 'b/c.txt', count: 1 },
    ];
    assert.deepEqual(counted.value, { counts, truncated: false });
    const lines = await search(files, { pattern: 'foo', output_mode: 'content' });
    assert.equal(lines.text, 'a.txt:1:foo\na.txt:3:foo foo');
    const matches = [
      { path: 'a.txt', line: 1, text: 'foo' },
      { path: 'a.txt', line: 3, text: 'foo foo' },
    ];
    assert.deepEqual(lines.value, { matches, truncated: false });
    assert.equal(await content(files, { pattern: 'bar', line_numbers: false }), 'a.txt:bar');
    assert.equal((await search(files, { pattern: 'nowhere' })).text, 'Nothing matches.');
  });

  test('shows lines around a match, each once', async () => {
    using files = tree({ a: '1\n2\nx\n4\nx\n6\n7\n8\nx\n10\n' });
    assert.equal(
      await content(files, { pattern: 'x', context: 1 }),
      'a-2-2\na:3:x\na-4-4\na:5:x\na-6-6\n--\na-8-8\na:9:x\na-10-10',
    );
    assert.equal(await content(files, { pattern: '4', before: 2 }), 'a-2-2\na-3-x\na:4:4');
    assert.equal(await content(files, { pattern: '4', after: 1, line_numbers: false }), 'a:4\na-x');
  });

  test('searches a file, a folder, or files that fit a glob', async () => {
    using files = tree({ 'a.md': 'x', 'b.ts': 'x', 'docs/c.md': 'x', 'docs/d.ts': 'x', '.e.md': 'x' });
    const paths = async (input: JsonObject): Promise<string> =>
      (await search(files, { pattern: 'x', ...input })).text.replaceAll('\n', ' ');
    assert.equal(await paths({ path: 'docs/c.md' }), 'docs/c.md');
    assert.equal(await paths({ path: 'docs' }), 'docs/c.md docs/d.ts');
    assert.equal(await paths({ glob: '*.md' }), '.e.md a.md docs/c.md');
    assert.equal(await paths({ glob: 'docs/*.{md,ts}' }), 'docs/c.md docs/d.ts');
    assert.equal(await paths({ glob: '!*.md' }), 'b.ts docs/d.ts');
    assert.equal(await paths({ glob: '*.md', path: 'docs' }), 'docs/c.md');
  });

  test('lets a match reach over line ends only when told to', async () => {
    using files = tree({ a: 'one\r\ntwo\r\nthree\r\n' });
    assert.equal(await content(files, { pattern: 'one.two' }), 'Nothing matches.');
    assert.equal(await content(files, { pattern: 'one.two', multiline: true }), 'a:1:one\na:2:two');
    assert.equal(await content(files, { pattern: '^two$' }), 'a:2:two');
    assert.equal(await content(files, { pattern: 'two\\n' }), 'Nothing matches.');
    const counted = await search(files, { pattern: 'o', multiline: true, output_mode: 'count' });
    assert.equal(counted.text, 'a:2');
  });

  test('skips ignored and binary files and links, and reads what is not UTF-8', async () => {
    using files = tree({
      '.gitignore': 'node_modules\n',
      'node_modules/a.js': 'needle',
      '.git/config': 'needle',
      'image.png': Buffer.from('\0needle'),
      'latin.txt': Buffer.from([0xff, 0xfd, ...Buffer.from('needle')]),
      'wide.txt': Buffer.from('\ufeffneedle', 'utf16le'),
      'sub/.ignore': 'secret.txt',
      'sub/secret.txt': 'needle',
    });
    symlinkSync('latin.txt', files.at('link.txt'));
    assert.equal((await search(files, { pattern: 'needle' })).text, 'latin.txt\nwide.txt');
  });

  test('stops searching at the limit', async () => {
    using files = tree({ a: 'x\n'.repeat(10), b: 'x' });
    const lines = await search(files, { pattern: 'x', output_mode: 'content', head_limit: 2 });
    assert.match(lines.text, /^a:1:x\na:2:x\n\(The search stopped at 2 results/);
    assert.equal((lines.value as { truncated: boolean }).truncated, true);
    const found = await search(files, { pattern: 'x', head_limit: 1 });
    assert.match(found.text, /^a\n\(The search stopped at 1 results/);
    using many = tree({ a: 'x\n'.repeat(300), b: `${'y'.repeat(1500)}\n`.repeat(240) });
    assert.equal((await content(many, { pattern: 'x' })).split('\n').length, 251);
    assert.ok((await content(many, { pattern: 'y' })).length < 103_000);
  });

  test('shows of a very long line what is around the match', async () => {
    using files = tree({ 'min.js': `${'a'.repeat(50_000)}needle${'b'.repeat(50_000)}` });
    const text = await content(files, { pattern: 'needle' });
    assert.match(text, /^min\.js:1:…a+needleb+…$/);
    assert.ok(text.length < 2100);
  });

  test('says which files it did not search', async () => {
    using files = tree({ large: 'text' });
    truncateSync(files.write('large', 'words '.repeat(2000)), 2 ** 27);
    assert.match(
      (await search(files, { pattern: 'words' })).text,
      /Nothing matches\.\n\(Files too large to search: 1\.\)/,
    );
  });

  test('says what is wrong with a pattern, a glob or a path', async () => {
    using files = tree({ a: '' });
    const fail = async (input: JsonObject): Promise<string> => {
      const error = errorOf(await callBuiltin(grep, input, { workspace: files.path }));
      return `${error.code} ${error.message}`;
    };
    assert.match(await fail({ pattern: '(' }), /^usage\.bad-input Invalid pattern: .*Unterminated group/);
    assert.match(await fail({ pattern: 'a', glob: '../x' }), /^usage\.bad-input The pattern leads out/);
    assert.match(await fail({ pattern: 'a', path: '../x' }), /^policy\.denied/);
    assert.match(await fail({ pattern: 'a', path: 'b' }), /^usage\.not-found/);
    assert.match(errorOf(await callBuiltin(grep, { pattern: 'a' }, {})).message, /has no workspace/);
  });

  test('takes the expressions that people write', async () => {
    using files = tree({ a: 'if (x) { y-z }\ngrün\n' });
    assert.equal(await content(files, { pattern: '\\{ y\\-z' }), 'a:1:if (x) { y-z }');
    assert.equal(await content(files, { pattern: '{ y' }), 'a:1:if (x) { y-z }');
    assert.equal(await content(files, { pattern: '^\\p{L}+$' }), 'a:2:grün');
  });

  test('is meant by a rule that means all that is searched', () => {
    assert.ok(isMeant(grep, 'src/**', { pattern: 'x', path: 'src' }));
    assert.ok(!isMeant(grep, 'src/**', { pattern: 'x' }));
  });
});
