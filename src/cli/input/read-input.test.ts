import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { tree } from '../../../test/support/tree.ts';
import { isAgentError } from '../../core/error.ts';
import { beginsWithName, readInput, slashCommand } from './read-input.ts';

test('an at sign before a name, unless the whole word is a file', () => {
  using files = tree({ notes: '', tidy: '', 'tidy the shed': '' });
  const isSkill = (name: string): boolean => ['tidy', 'sort', 'group/sort'].includes(name);
  const rows: readonly (readonly [args: readonly string[], isName: boolean])[] = [
    [['@sort'], true],
    [['@group/sort'], true],
    [['@sort the pots'], true],
    [['@sort', 'the', 'pots'], true],
    [['@other the pots'], true],
    [['@other', 'the', 'pots'], true],
    [['@other'], false],
    [['@notes'], false],
    [['@tidy'], false],
    [['@tidy', 'the', 'shed'], true],
    [['@tidy the shed'], false],
    [['@./sort'], false],
    [['@'], false],
    [['@ sort'], false],
    [['sort', '@tidy'], false],
    [['/sort'], false],
    [[], false],
  ];
  for (const [args, isName] of rows)
    assert.equal(beginsWithName(args, { cwd: files.path }, isSkill), isName, args.join('|'));
});

const stdin = (...chunks: readonly (string | Uint8Array)[]): AsyncIterable<Uint8Array> =>
  Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

describe('words of a command line', () => {
  const cwd = '/';

  test('are one text', async () => {
    assert.equal(await readInput(['convert', 'csv'], { cwd }), 'convert csv');
    assert.equal(await readInput([], { cwd }), '');
    assert.equal(await readInput(['  '], { cwd }), '');
  });

  test('- is what stdin gives, whole letters included', async () => {
    const bytes = Buffer.from('Grüße\n');
    const sources = { cwd, stdin: stdin(bytes.subarray(0, 3), bytes.subarray(3)) };
    assert.equal(await readInput(['-'], sources), 'Grüße');
  });

  test('@ is what a file holds, from the working folder', async () => {
    using files = tree({ 'ask.txt': '\ufeffwhat is\nin the file\n' });
    assert.equal(await readInput(['@ask.txt'], { cwd: files.path }), 'what is\nin the file');
    assert.equal(await readInput([`@${files.at('ask.txt')}`], { cwd: '/' }), 'what is\nin the file');
  });

  test('among other words both are plain text', async () => {
    assert.equal(await readInput(['install', '@babel/core', '-'], { cwd }), 'install @babel/core -');
  });

  for (const plain of ['@', ' @ask.txt', 'ann@ask.txt', ' -', '--', '-x'])
    test(`"${plain}" is plain text`, async () => {
      assert.equal(await readInput([plain], { cwd }), plain.trim());
    });

  test('a file that cannot be read is a usage error', async () => {
    using files = tree({ 'folder/file': '' });
    for (const arg of ['@missing', '@folder', `@${'a'.repeat(300)}`])
      await assert.rejects(readInput([arg], { cwd: files.path }), (thrown) => {
        assert.ok(isAgentError(thrown));
        assert.equal(thrown.code, 'usage.not-found');
        assert.match(thrown.hint ?? '', /plain text/);
        return true;
      });
  });

  test('an input without an end is refused', async () => {
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield await Promise.resolve(new Uint8Array(100_000));
    }
    await assert.rejects(readInput(['-'], { cwd, stdin: endless() }), { code: 'limit.too-large' });
  });
});

const rows: readonly (readonly [args: readonly string[], name: string | undefined, left?: string[]])[] = [
  [['/triage'], 'triage', []],
  [['/triage', '42', 'urgent'], 'triage', ['42', 'urgent']],
  [['/triage 42 urgent'], 'triage', ['42 urgent']],
  [['/triage 42 "so  urgent"'], 'triage', ['42 "so  urgent"']],
  [['/triage\t42'], 'triage', ['42']],
  [['/triage\nfirst line\nsecond line\n'], 'triage', ['first line\nsecond line\n']],
  [['/triage  '], 'triage', []],
  [['/triage 42', 'urgent'], 'triage', ['42', 'urgent']],
  [['/triage {"a": 1}'], 'triage', ['{"a": 1}']],
  [['/group/triage 42'], 'group/triage', ['42']],
  [['/project:triage'], 'project:triage', []],
  [['//triage'], '/triage', []],
  [['/ triage'], undefined],
  [['/'], undefined],
  [[''], undefined],
  [[], undefined],
  [[' /triage'], undefined],
  [['triage', '/other'], undefined],
];

test('with an at sign, where that is asked for', () => {
  assert.deepEqual(slashCommand(['@triage 42'], '@'), { name: 'triage', args: ['42'] });
  assert.deepEqual([slashCommand(['@triage']), slashCommand(['/triage'], '@')], [undefined, undefined]);
});

for (const [args, name, left] of rows) {
  test(JSON.stringify(args), () => {
    assert.deepEqual(slashCommand(args), name === undefined ? undefined : { name, args: left });
  });
}
