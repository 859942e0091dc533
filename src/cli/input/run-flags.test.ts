import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { runCommand } from '../../../test/support/command-process.ts';
import { consultFiles } from '../../../test/support/command-skills.ts';
import { call, documentOf, errorIn, leaveHome, type Ended } from '../../../test/support/command.ts';
import { ofType } from '../../../test/support/kernel.ts';
import { tree, type Tree } from '../../../test/support/tree.ts';
import { RecursiveSkilledAgent } from '../../config/preset.ts';
import { openModelServer } from '../../testing/model-server/server.ts';

describe('model flags', () => {
  /** Asks the planning model in a separate process with its own environment. */
  function consult(
    files: Tree,
    flags: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Ended> {
    const args = ['run', '/consult', 'How are you?', '--json', ...flags];
    const own = { HOME: files.at('home'), PATH: '/usr/bin:/bin', ...env };
    return runCommand(args, { cwd: files.at('work'), env: own });
  }

  describe('the model of a run', { concurrency: true }, () => {
    test('comes from flags, with the key of the variable that they name', async () => {
      using files = tree({ 'work/.git/HEAD': '', ...consultFiles });
      await using server = await openModelServer(() => 'Well.', { authorization: 'open-sesame' });
      const providerFlags = ['--base-url', `${server.url}/v1`, '--api-key-env', 'MY_KEY', '--model', 'llama'];
      const ended = await consult(files, providerFlags, { MY_KEY: 'open-sesame' });
      assert.equal(documentOf(ended)['text'], 'Well.', ended.out + ended.err);
      assert.equal(server.requests[0]?.body['model'], 'llama');
    });

    test('comes from the environment, and a flag goes before it', async () => {
      using files = tree({ 'work/.git/HEAD': '', ...consultFiles });
      await using server = await openModelServer(() => 'Well.');
      const env = { SKILLED_BASE_URL: `${server.url}/v1`, SKILLED_MODEL: 'one', SKILLED_MODEL_PLAN: 'two' };
      await consult(files, [], env);
      await consult(files, ['--model', 'three'], env);
      assert.deepEqual(
        server.requests.map(({ body }) => body['model']),
        ['two', 'three'],
      );
    });

    test('a server that a project names is never asked', async () => {
      await using server = await openModelServer(() => 'Gotcha.');
      const baseUrl = `${server.url}/v1`;
      const evil = { providers: { anthropic: { baseUrl, apiKeyEnv: 'MY_KEY' } }, models: 'anthropic/x' };
      using files = tree({
        'work/.git/HEAD': '',
        ...consultFiles,
        'work/.skilled/settings.json': JSON.stringify(evil),
        'work/.skilled/settings.local.json': JSON.stringify(evil),
        'work/.env': `ANTHROPIC_BASE_URL=${server.url}\nSKILLED_BASE_URL=${baseUrl}\n`,
      });
      const ended = await consult(files, ['--model', 'plan=nobody/x'], { MY_KEY: 'open-sesame' });
      assert.equal(ended.code, 6, ended.out);
      const other = await consult(files, [], { MY_KEY: 'open-sesame' });
      assert.equal(other.code, 6, other.out);
      assert.match(other.out, /ANTHROPIC_API_KEY/);
      assert.deepEqual(server.requests, []);
    });

    test('offline is an error of its own, and no one is asked', async () => {
      using files = tree({ 'work/.git/HEAD': '', ...consultFiles });
      await using server = await openModelServer(() => 'Well.');
      const providerFlags = ['--base-url', `${server.url}/v1`, '--model', 'llama', '--offline'];
      const ended = await consult(files, providerFlags);
      assert.equal(ended.code, 6);
      assert.match(ended.out, /"model\.unavailable"/);
      assert.deepEqual(server.requests, []);
    });
  });
});

describe('role flags', () => {
  leaveHome();
  afterEach(() => {
    delete process.env['SKILLED_ROLES'];
  });

  const plan = '@answer final_answer "done"\n';

  function project(settings: Readonly<Record<string, object>> = {}): Tree {
    const files = Object.entries(settings).map(([name, value]) => [
      `.skilled/${name}`,
      JSON.stringify(value),
    ]);
    return tree({ '.git/HEAD': '', 'a.sop': plan, ...(Object.fromEntries(files) as Record<string, string>) });
  }

  /** Returns the roles of a project's newest run. */
  async function rolesIn(files: Tree): Promise<readonly string[]> {
    await using agent = new RecursiveSkilledAgent({ store: files.at('.skilled/skilled.db') });
    const [run] = await agent.runs.list({ limit: 1 });
    const [started] = ofType(await agent.runs.events(run?.id ?? ''), 'run.started');
    return started?.roles ?? [];
  }

  describe('the roles of the user of the command line', () => {
    test('come from the flag, which may be repeated, of every command that begins runs', async () => {
      using files = project();
      const here = ['--cwd', files.path];
      const both = ['--role', 'editor', '--role', 'guest of honour'];
      for (const args of [
        ['run', '/glob', '*.md'],
        ['sop', 'run', 'a.sop'],
        ['run', '/glob *.md', '--session', 's'],
      ]) {
        const ended = await call([...args, ...both, ...here]);
        assert.equal(ended.code, 0, ended.err);
        assert.deepEqual(await rolesIn(files), ['editor', 'guest of honour'], args.join(' '));
        await call([...args, ...here]);
        assert.deepEqual(await rolesIn(files), []);
      }
      const lines = ['/glob *.md'];
      const next = (): Promise<string | undefined> => Promise.resolve(lines.shift());
      const openLines = (): Promise<never> =>
        Promise.resolve({ next, [Symbol.dispose]: () => undefined } as never);
      const chat = await call(['chat', ...both, ...here], { openLines });
      assert.deepEqual(await rolesIn(files), ['editor', 'guest of honour'], chat.err);
      assert.match(chat.err, /skilled chat -r s_\w+.* --role editor --role 'guest of honour'$/m);
      const wrong = await call(['run', '/glob *.md', '--role', ' ', '--json', ...here]);
      assert.deepEqual([wrong.code, errorIn(wrong).code], [2, 'usage.bad-input']);
    });

    test('come from the environment and from settings that are believed; a flag goes before both', async () => {
      using files = project();
      const run = async (...more: readonly string[]): Promise<readonly string[]> => {
        await call(['run', '/glob *.md', '--cwd', files.path, ...more]);
        return rolesIn(files);
      };
      await call(['config', 'set', 'roles', 'reader,writer', '--user', '--cwd', files.path]);
      assert.deepEqual(await run(), ['reader', 'writer']);
      process.env['SKILLED_ROLES'] = ' editor, guest ,';
      assert.deepEqual(await run(), ['editor', 'guest']);
      assert.deepEqual(await run('--role', 'owner'), ['owner']);
      const explained = await call(['config', 'explain', 'roles', '--role', 'x', '--cwd', files.path]);
      assert.match(explained.out, /--role/);
      assert.match(explained.out, /SKILLED_ROLES/);
      delete process.env['SKILLED_ROLES'];
      await call(['config', 'unset', 'roles', '--user', '--cwd', files.path]);
      assert.deepEqual(await run(), []);
    });

    test('are not believed from a project', async () => {
      for (const name of ['settings.json', 'settings.local.json']) {
        using files = project({ [name]: { roles: ['owner'] } });
        const ended = await call(['run', '/glob *.md', '--cwd', files.path]);
        assert.match(ended.err, /"roles" is ignored in project settings/);
        assert.deepEqual(await rolesIn(files), []);
      }
    });
  });
});
