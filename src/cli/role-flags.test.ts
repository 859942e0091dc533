import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { call, errorIn, leaveHome } from '../../test/support/command.ts';
import { ofType } from '../../test/support/kernel.ts';
import { tree, type Tree } from '../../test/support/tree.ts';
import { RecursiveSkilledAgent } from '../config/preset.ts';

leaveHome();
afterEach(() => {
  delete process.env['SKILLED_ROLES'];
});

const plan = '@answer final_answer "done"\n';

function project(settings: Readonly<Record<string, object>> = {}): Tree {
  const files = Object.entries(settings).map(([name, value]) => [`.skilled/${name}`, JSON.stringify(value)]);
  return tree({ '.git/HEAD': '', 'a.sop': plan, ...(Object.fromEntries(files) as Record<string, string>) });
}

/** The roles of the newest run of a project. */
async function rolesIn(files: Tree): Promise<readonly string[]> {
  await using agent = new RecursiveSkilledAgent({ store: files.at('.skilled/skilled.db') });
  const [run] = await agent.runs.list({ limit: 1 });
  const [started] = ofType(await agent.runs.events(run?.id ?? ''), 'run.started');
  return started?.roles ?? [];
}

describe('the roles of whoever uses the command line', () => {
  test('come from the flag, which may be repeated, of every command that begins runs', async () => {
    using files = project();
    const here = ['--cwd', files.path];
    const both = ['--role', 'editor', '--role', 'guest of honour'];
    for (const words of [
      ['run', '/glob', '*.md'],
      ['sop', 'run', 'a.sop'],
      ['run', '/glob *.md', '--session', 's'],
    ]) {
      const ended = await call([...words, ...both, ...here]);
      assert.equal(ended.code, 0, ended.err);
      assert.deepEqual(await rolesIn(files), ['editor', 'guest of honour'], words.join(' '));
      await call([...words, ...here]);
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
      assert.match(ended.err, /"roles" does not count in the settings of a project/);
      assert.deepEqual(await rolesIn(files), []);
    }
  });
});
