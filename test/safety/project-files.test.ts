import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { openModelServer, type ModelServer } from '../../src/testing/model-server/server.ts';
import type { Ended } from '../support/command.ts';
import { runCommand } from '../support/command-process.ts';
import { skillText, tree, type Tree } from '../support/tree.ts';

const mine = 'key-of-the-user-1234';
const theirs = 'key-of-the-project-5678';

function run(
  files: Tree,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const env = { HOME: files.at('home'), XDG_CACHE_HOME: files.at('cache'), PATH: '/usr/bin:/bin', ...more };
  return runCommand([...args, '--cwd', files.at('work')], { env, cwd: files.at('work') });
}

function project(more: Readonly<Record<string, string>>): Tree {
  return tree({ 'home/x': '', 'work/.git/HEAD': '', 'work/a.txt': 'x\n', ...more });
}

describe('the account that gets the prompts', () => {
  interface Row {
    readonly isTrusted: boolean;
    readonly environment: readonly string[];
    readonly file: readonly string[];
    /** The server that is asked and its key. Undefined if the call is refused. */
    readonly asked: readonly ['user' | 'project', string] | undefined;
    readonly says: RegExp;
  }
  const key = 'ANTHROPIC_API_KEY';
  const url = 'ANTHROPIC_BASE_URL';
  const rows: Readonly<Record<string, Row>> = {
    'an untrusted .env is ignored and named': {
      isTrusted: false,
      environment: [],
      file: [key, url],
      asked: undefined,
      says: /ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL in .*\.env are ignored.*trust grant/,
    },
    'an untrusted .env changes nothing where the user has an account': {
      isTrusted: false,
      environment: [key, url],
      file: [key, url],
      asked: ['user', mine],
      says: /^(?!.*\.env)/s,
    },
    'a trusted .env is used with its own address': {
      isTrusted: true,
      environment: [],
      file: [key, url],
      asked: ['project', theirs],
      says: /^(?!.*\.env)/s,
    },
    'a key of the user does not reach the address of a trusted project': {
      isTrusted: true,
      environment: [key],
      file: [url],
      asked: undefined,
      says: /ANTHROPIC_API_KEY in your environment, .* from ANTHROPIC_BASE_URL in \.env/,
    },
  };
  for (const [name, row] of Object.entries(rows))
    test(name, async () => {
      await using user = await openModelServer(() => 'Hi.');
      await using other = await openModelServer(() => 'Hi.');
      const values = (secret: string, server: ModelServer): Record<string, string> => ({
        [key]: secret,
        [url]: server.url,
      });
      const pick = (all: Record<string, string>, names: readonly string[]): [string, string][] =>
        Object.entries(all).filter(([each]) => names.includes(each));
      const lines = pick(values(theirs, other), row.file).map(([each, value]) => `${each}=${value}\n`);
      using files = project({ 'work/.env': lines.join('') });
      if (row.isTrusted) assert.equal((await run(files, ['trust', 'grant', '.'])).code, 0);
      const environment = Object.fromEntries(pick(values(mine, user), row.environment));
      const model = row.isTrusted || row.environment.length > 0 ? ['--model', 'anthropic/x'] : [];
      const ended = await run(files, ['run', 'Say hi.', ...model], environment);
      assert.match(ended.err, row.says);
      const requests = { user: user.requests, project: other.requests };
      const isAsked = (who: 'user' | 'project'): boolean => requests[who].length > 0;
      assert.deepEqual(
        [isAsked('user'), isAsked('project')],
        [row.asked?.[0] === 'user', row.asked?.[0] === 'project'],
      );
      const sent = JSON.stringify(
        Object.values(requests)
          .flat()
          .map(({ headers }) => headers),
      );
      for (const secret of [mine, theirs]) assert.equal(sent.includes(secret), secret === row.asked?.[1]);
    });
});

describe('rules that forbid', () => {
  const search = ['run', '/glob', '--pattern', '*.txt', '--json'];

  test('that cannot mean anything stop runs and nothing else', async () => {
    using files = project({
      'home/.skilled/settings.json': '{\n"permissions": {"deny": [\n"Bash(rm *)", "Bsh(rm *)"]}}',
    });
    const ended = await run(files, search);
    const { error } = JSON.parse(ended.out) as { error: { code: string; details: Record<string, unknown> } };
    assert.deepEqual([ended.code, error.code], [2, 'usage.bad-settings']);
    const { file, line, rule, near } = error.details;
    assert.deepEqual(
      [file, line, rule, near],
      [files.at('home/.skilled/settings.json'), 3, 'Bsh(rm *)', ['Bash']],
    );
    assert.equal((await run(files, ['list'])).code, 0);
  });

  test('of a project count here too, and --safe works without them', async () => {
    using files = project({ 'work/.skilled/settings.json': '{"permissions": {"ask": ["delete-file"]}}' });
    const ended = await run(files, search);
    assert.equal(ended.code, 2);
    assert.match(ended.out, /write Skill\(delete-file\)/);
    assert.equal((await run(files, [...search, '--safe'])).code, 0);
  });

  test('are refused by config set', async () => {
    using files = project({});
    const ended = await run(files, ['config', 'set', '--user', 'permissions.deny', 'delete-file', '--json']);
    assert.equal(ended.code, 2);
    assert.match(ended.out, /does not name one/);
  });

  test('for a skill that is not there yet are warned about in every run', async () => {
    using files = project({
      'home/.skilled/settings.json': '{"permissions": {"deny": ["Skill(delete-file)"]}}',
    });
    const ended = await run(files, search);
    assert.equal(ended.code, 0);
    assert.match(
      ended.err,
      /warning: The rule "Skill\(delete-file\)" in permissions\.deny does not match any registered skill/,
    );
  });
});

test('a secret in a description is not written to the cache, and warm and cold starts show the same', async () => {
  const shaped = `ghp_${'a1B2'.repeat(9)}`;
  using files = project({
    'work/skills/a/SKILL.md': skillText('a', `Uses ${mine} and more.`),
    'work/skills/b/SKILL.md': skillText('b', `Uses ${shaped} and more.`),
    'work/skills/c/SKILL.md': skillText('c', 'Plain words.'),
  });
  const list = (): Promise<Ended> => run(files, ['list', '--json'], { MY_API_KEY: mine });
  const cold = await list();
  const cached = readdirSync(files.at('cache/skilled')).map((name) =>
    readFileSync(files.at('cache/skilled', name), 'latin1'),
  );
  assert.ok(cached.some((text) => text.includes('Plain words.')));
  for (const secret of [mine, shaped]) assert.ok(cached.every((text) => !text.includes(secret)));
  assert.deepEqual(await list(), cold);
});

test('grep for a known secret finds it and does not print it', async () => {
  using files = project({ 'work/found.txt': `key=${mine}\n`, 'work/other.txt': 'redacted\n' });
  const args = ['run', '/grep', '--pattern', mine, '--output_mode', 'content'];
  const ended = await run(files, args, { MY_API_KEY: mine });
  assert.deepEqual([ended.code, ended.out], [0, 'found.txt:1:key=[redacted]\n']);
});
