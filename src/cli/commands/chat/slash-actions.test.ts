import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { call, leaveHome, linesOf, type Ended } from '../../../../test/support/command.ts';
import { skillText, tree, type Tree } from '../../../../test/support/tree.ts';
import { openModelServer } from '../../../testing/model-server/server.ts';
import type { Lines } from '../../input/line-reader.ts';

leaveHome();

function project(files: Readonly<Record<string, string>> = {}): Tree {
  const all = tree({ 'work/.git/HEAD': '', 'work/notes.md': 'Buy bread.\n', ...files });
  process.env['SKILLED_HOME'] = all.at('own');
  return all;
}

/** Holds a conversation with these lines, and returns what it printed. */
function chat(
  files: Tree,
  said: readonly string[],
  flags: readonly string[] = ['--offline'],
): Promise<Ended> {
  const rest = [...said];
  const lines: Lines = {
    next: () => Promise.resolve(rest.shift()),
    [Symbol.dispose]: () => undefined,
  };
  const openLines = (): Promise<Lines> => Promise.resolve(lines);
  return call(['chat', ...flags, '--cwd', files.at('work')], { openLines });
}

/** Holds a conversation, and returns the document of each line. */
async function documents(
  files: Tree,
  said: readonly string[],
  flags: readonly string[] = ['--offline'],
): Promise<readonly Record<string, unknown>[]> {
  return linesOf(await chat(files, said, [...flags, '--json']));
}

describe('a command of a conversation', () => {
  test('/model lists what servers offer, and selects the model of the next turns', async () => {
    await using server = await openModelServer(() => 'Done.', { models: ['llama', 'other'] });
    using files = project({ 'work/skills/think/SKILL.md': skillText('think') });
    const flags = ['--base-url', `${server.url}/v1`, '--model', 'llama'];
    const { out } = await chat(
      files,
      ['/model', '/model custom/other', '/think', '/model default', '/think'],
      flags,
    );
    assert.match(out, /^plan +custom\/llama$/m);
    assert.match(out, /custom\/llama, custom\/other/);
    const asked = server.requests.filter(({ path }) => path.endsWith('/chat/completions'));
    assert.deepEqual(
      asked.map(({ body }) => body['model']),
      ['other', 'llama'],
    );
  });

  test('/resume lists other conversations, and continues one', async () => {
    using files = project();
    const [first] = await documents(files, ['/read notes.md']);
    assert.equal(first?.['ok'], true);
    const [listed] = await documents(files, ['/resume']);
    const [{ session = '', said = '' } = {}] = listed?.['conversations'] as readonly Record<string, string>[];
    assert.equal(said, '/read notes.md');
    const [resumed, cost, wrong] = await documents(files, [`/resume ${session}`, '/cost', '/resume nope']);
    assert.equal(resumed?.['session'], session);
    assert.deepEqual([cost?.['session'], cost?.['runs']], [session, 1]);
    assert.equal((wrong?.['error'] as { code: string }).code, 'usage.not-found');
  });

  test('/tools shows the tools of models, with whole names at 40 columns', async () => {
    using files = project();
    const [{ tools = [] } = {}] = (await documents(files, ['/tools'])) as readonly {
      tools?: { name: string }[];
    }[];
    const names = tools.map(({ name }) => name);
    assert.ok(names.includes('read') && names.includes('bash'));
    const rest = ['/tools'];
    const next = (): Promise<string | undefined> => Promise.resolve(rest.shift());
    const openLines = (): Promise<Lines> => Promise.resolve({ next, [Symbol.dispose]: () => undefined });
    const { out } = await call(['chat', '--offline', '--cwd', files.at('work')], { openLines, width: 40 });
    for (const name of names) assert.match(out, new RegExp(`^${name} `, 'm'));
    assert.ok(
      out.split('\n').every((line) => line.length <= 40),
      out,
    );
  });

  test('/mcp shows the servers of the settings', async () => {
    const mcpServers = { weather: { url: 'https://weather.example/mcp' } };
    using files = project({ 'own/settings.json': JSON.stringify({ mcpServers }) });
    const { out } = await chat(files, ['/mcp']);
    assert.match(out, /^weather +https:\/\/weather\.example\/mcp/m);
    assert.match((await chat(project(), ['/mcp'])).err, /skilled mcp add/);
  });

  test('/trust shows what needs trust and grants it, and the skill then has it', async () => {
    using files = project({
      'work/skills/greet/SKILL.md': skillText('greet', 'Greets.', 'allowed-tools: Bash(./hello.sh)\n'),
      'work/skills/greet/scripts/hello.sh': 'echo hi\n',
    });
    const [before, granted, after, wrong] = await documents(files, [
      '/trust',
      '/trust greet',
      '/trust',
      '/trust nope',
    ]);
    const trustIn = (document: Record<string, unknown> | undefined): string =>
      JSON.stringify(document).match(/"trust":"(\w+)"/)?.[1] ?? '';
    assert.equal(trustIn(before), 'needed');
    assert.equal(granted?.['ok'], true);
    assert.notEqual(trustIn(after), 'needed');
    assert.equal((wrong?.['error'] as { code: string }).code, 'skill.not-found');
  });

  test('/init sets up a project, and its skill can be called at once', async () => {
    using files = project();
    const ended = await chat(files, ['/init', '/skills hello']);
    assert.ok(existsSync(files.at('work/.skilled/settings.json')));
    assert.match(ended.out, /^\/hello /m);
  });

  test('/compact says that a short conversation has nothing to summarise, and changes nothing', async () => {
    using files = project();
    const said = ['/compact', '/read notes.md', '/compact', '/read notes.md'];
    const [none, first, short, second] = await documents(files, said);
    assert.deepEqual([none?.['ok'], short?.['ok']], [true, true]);
    assert.equal(none?.['text'], short?.['text']);
    assert.equal(first?.['text'], second?.['text']);
  });
});
