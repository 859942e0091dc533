import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { call, documentOf, errorIn, leaveHome, type Ended } from '../../../../test/support/command.ts';
import { tree, type Tree } from '../../../../test/support/tree.ts';

leaveHome();

/** Creates a project that also contains the folder of the user's settings. */
function project(more: Readonly<Record<string, string>> = {}): Tree {
  const files = tree({ 'work/.git/HEAD': '', 'plain/x': '', ...more });
  process.env['SKILLED_HOME'] = files.at('own');
  return files;
}

function config(files: Tree, args: readonly string[], dir = 'work'): Promise<Ended> {
  return call(['config', ...args, '--cwd', files.at(dir)]);
}

test('config set of a rule is not told that another layer goes before it: rules add up', async () => {
  using files = project({ 'work/.skilled/settings.local.json': '{"permissions": {"deny": ["Edit"]}}' });
  const ended = await config(files, ['set', 'permissions.deny', 'Bash(rm *)', '--user']);
  assert.deepEqual(ended, { code: 0, out: `${files.at('own/settings.json')}\n`, err: '' });
  assert.equal((await config(files, ['get', 'permissions.deny'])).out, '["Bash(rm *)","Edit"]\n');
});

describe('config get', () => {
  test('prints the effective value and nothing else', async () => {
    using files = project({
      'work/.skilled/settings.json': '{"limits": {"depth": 4}, "x": {"y": "z"}}',
      'own/settings.json': '{"models": {"plan": "a/b"}, "skills": {"only": ["a", "b"]}}',
    });
    const out = async (key: string): Promise<string> => {
      const ended = await config(files, ['get', key]);
      assert.deepEqual([ended.code, ended.err], [0, '']);
      return ended.out;
    };
    assert.equal(await out('models.plan'), 'a/b\n');
    assert.equal(await out('models'), '{"plan":"a/b"}\n');
    assert.equal(await out('limits.depth'), '4\n');
    assert.equal(await out('limits.steps'), '40\n');
    assert.equal(await out('skills.only'), '["a","b"]\n');
    assert.equal(await out('x.y'), 'z\n');
  });

  test('what is not set is nothing on stdout, and is said on stderr', async () => {
    using files = project();
    const ended = await config(files, ['get', 'models']);
    assert.deepEqual(ended, {
      code: 0,
      out: '',
      err: 'models is not set (the models found on this machine).\n',
    });
    assert.deepEqual(documentOf(await config(files, ['get', 'models', '--json'])), {
      ok: true,
      key: 'models',
      issues: [],
    });
  });

  test('a key that does not exist is an error with the nearest', async () => {
    using files = project();
    const ended = await config(files, ['get', 'modles', '--json']);
    assert.equal(ended.code, 2);
    assert.deepEqual(
      [errorIn(ended).code, errorIn(ended).hint],
      ['usage.not-found', 'Did you mean "models" or "roles"?'],
    );
  });

  test('--safe ignores the files, but not the environment', async () => {
    using files = project({ 'work/.skilled/settings.json': '{"limits": {"depth": 4, "steps": 5}}' });
    process.env['SKILLED_LIMITS_DEPTH'] = '7';
    try {
      assert.equal((await config(files, ['get', 'limits.depth', '--safe'])).out, '7\n');
      assert.equal((await config(files, ['get', 'limits.steps', '--safe'])).out, '40\n');
    } finally {
      delete process.env['SKILLED_LIMITS_DEPTH'];
    }
  });

  test('the password of a store or a database is not shown', async () => {
    using files = project();
    for (const [variable, key] of [
      ['SKILLED_STORE', 'store'],
      ['SKILLED_DATABASE', 'database'],
    ] as const) {
      Object.assign(process.env, { [variable]: 'postgres://ann:open-sesame@db/runs' });
      try {
        for (const args of [['get', key], ['explain', key], ['list'], ['list', '--json']]) {
          const { out, err } = await config(files, args);
          assert.match(out, /postgres:\/\/db\/runs/);
          assert.doesNotMatch(out + err, /open-sesame/);
        }
      } finally {
        delete process.env['SKILLED_STORE'];
        delete process.env['SKILLED_DATABASE'];
      }
    }
  });

  test('findings about the files go to stderr', async () => {
    using files = project({ 'work/.skilled/settings.json': '{"limits": {"depth": "x"}}' });
    const ended = await config(files, ['get', 'limits.depth']);
    assert.equal(ended.out, '8\n');
    assert.match(ended.err, /settings\.json:1: error: "limits\.depth" must be a whole number/);
    for (const args of [['get', 'limits.depth'], ['explain', 'limits.depth'], ['list']]) {
      const { issues } = documentOf(await config(files, [...args, '--json']));
      const [issue] = issues as readonly { code: string; line: number }[];
      assert.deepEqual([issue?.code, issue?.line], ['settings.invalid', 1], args.join(' '));
    }
  });
});

describe('config set', () => {
  const written = (files: Tree, path: string): string => readFileSync(files.at(path), 'utf8');

  test('writes into the project and prints the path', async () => {
    using files = project({ 'work/.skilled/settings.json': '{\n  // ours\n  "plugins": ["a"]\n}\n' });
    const ended = await config(files, ['set', 'limits.depth', '2']);
    assert.deepEqual(ended, { code: 0, out: `${files.at('work/.skilled/settings.json')}\n`, err: '' });
    assert.equal(
      written(files, 'work/.skilled/settings.json'),
      '{\n  // ours\n  "plugins": ["a"],\n  "limits": {\n    "depth": 2\n  }\n}\n',
    );
  });

  test("a model is written into the user's own settings, since it would not count in the project", async () => {
    using files = project({ 'work/.skilled/settings.json': '{}' });
    const ended = await config(files, ['set', 'models.plan', 'anthropic/x']);
    assert.deepEqual(ended, { code: 0, out: `${files.at('own/settings.json')}\n`, err: '' });
  });

  test("--local and --user write elsewhere; outside of projects it is the user's own", async () => {
    using files = project();
    await config(files, ['set', 'offline', 'true', '--local']);
    assert.equal(written(files, 'work/.skilled/settings.local.json'), '{\n  "offline": true\n}\n');
    assert.match(written(files, 'work/.skilled/.gitignore'), /^settings\.local\.json$/m);
    await config(files, ['set', 'limits.cost', '2.5', '--user']);
    await config(files, ['set', 'skills.except', 'a, b'], 'plain');
    assert.deepEqual(JSON.parse(written(files, 'own/settings.json')), {
      limits: { cost: 2.5 },
      skills: { except: ['a', 'b'] },
    });
    assert.ok(!existsSync(files.at('plain/.skilled')));
  });

  test("what counts only in the user's own settings goes there", async () => {
    using files = project();
    const ended = await config(files, [
      'set',
      'providers.mine',
      '{"baseUrl": "http://127.0.0.1:9/v1"}',
      '--json',
    ]);
    assert.deepEqual(documentOf(ended), {
      ok: true,
      key: 'providers.mine',
      value: { baseUrl: 'http://127.0.0.1:9/v1' },
      layer: 'user',
      file: files.at('own/settings.json'),
    });
    const refused = await config(files, ['set', 'offline', 'false', '--project', '--json']);
    assert.match(errorIn(refused).hint ?? '', /--user/);
    assert.ok(!existsSync(files.at('work/.skilled')));
  });

  const mistakes: readonly (readonly [args: readonly string[], code: string, message: RegExp])[] = [
    [['set'], 'usage.bad-input', /setting name/],
    [['set', 'limits.depth'], 'usage.bad-input', /Missing a value/],
    [['set', 'limits.depth', 'deep'], 'usage.bad-input', /"limits\.depth" must be a whole number/],
    [['set', 'limits', '{"depth": "x"}'], 'usage.bad-input', /"limits\.depth" must be a whole number/],
    [['set', 'limits.dpeth', '3'], 'usage.not-found', /Unknown setting "limits\.dpeth"/],
    [['set', 'modles', 'a/b'], 'usage.not-found', /Unknown setting "modles"/],
    [['set', 'tierConfig.plna', 'x'], 'usage.bad-input', /the name of a role/],
    [
      ['set', 'providers.x.apiKeyEnv', 'KEY'],
      'usage.bad-input',
      /"providers\.x" must be an object with baseUrl/,
    ],
    [['set', 'a..b', '1'], 'usage.bad-input', /"a\.\.b" is not a valid settings key/],
    [['set', 'models', 'a/b', 'c/d'], 'usage.bad-input', /Unexpected argument "c\/d"/],
    [['set', 'models', 'a/b', '--user', '--local'], 'usage.bad-input', /--user and --local/],
    [['set', 'models', 'a/b', '--safe'], 'usage.bad-input', /--safe/],
    [['get', 'models', '--user'], 'usage.bad-input', /--user belongs to/],
    [['set', 'models', 'a/b', '--model', 'c/d'], 'usage.bad-input', /--model belongs to/],
    [
      ['explain', 'limits.depth', '--max-depth', 'x'],
      'usage.bad-input',
      /--max-depth must be a whole number/,
    ],
    [['frob'], 'usage.bad-input', /no action "frob"/],
  ];
  for (const [args, code, message] of mistakes) {
    test(`config ${args.join(' ')}: ${code}`, async () => {
      using files = project();
      const ended = await config(files, [...args, '--json']);
      assert.equal(ended.code, 2);
      assert.equal(errorIn(ended).code, code);
      assert.match(errorIn(ended).message, message);
      assert.ok((errorIn(ended).hint ?? '') !== '');
      assert.ok(!existsSync(files.at('work/.skilled')) && !existsSync(files.at('own')));
    });
  }

  test('a secret is refused, is not repeated, and the hint says what to write', async () => {
    using files = project();
    const key = `sk-ant-${'a1B2c3D4'.repeat(5)}`;
    process.env['SOME_API_KEY'] = 'plainlooking-value';
    try {
      for (const [name, value] of [
        ['providers.x', `{"baseUrl": "http://x", "apiKeyEnv": "${key}"}`],
        ['models', key],
        ['skills.entries.a.env.A_TOKEN', 'correct-horse-battery'],
        ['skills.entries.a.config.word', 'plainlooking-value'],
        ['skills.entries.a.apiKey', 'whatever'],
        ['store', 'postgres://ann:open-sesame@db/x'],
        ['database', 'postgres://ann:open-sesame@db/x'],
      ] as const) {
        const ended = await config(files, ['set', name, value, '--user']);
        assert.equal(ended.code, 2, name);
        assert.doesNotMatch(ended.out + ended.err, /a1B2c3D4|correct-horse|plainlooking|open-sesame/);
        assert.match(ended.err, /secret|environment variable|without a password/, name);
      }
      assert.ok(!existsSync(files.at('own')));
    } finally {
      delete process.env['SOME_API_KEY'];
    }
  });

  test('says when another layer still goes before it', async () => {
    using files = project({ 'work/.skilled/settings.json': '{"modelRetries": 1}' });
    const ended = await config(files, ['set', 'modelRetries', '5', '--user']);
    assert.match(ended.err, /work\/\.skilled\/settings\.json \(project\) still takes precedence/);
  });

  test('what would not be JSON afterwards is left alone', async () => {
    using files = project({ 'work/.skilled/settings.json': '{ broken' });
    const ended = await config(files, ['set', 'modelRetries', '1', '--json']);
    assert.equal(errorIn(ended).code, 'usage.bad-settings');
    assert.equal(written(files, 'work/.skilled/settings.json'), '{ broken');
  });
});

describe('config unset', () => {
  test('takes it out of the file that has it, the highest first', async () => {
    using files = project({
      'work/.skilled/settings.json': '{"modelRetries": 1, "offline": true}',
      'own/settings.json': '{"modelRetries": 5}',
    });
    const first = await config(files, ['unset', 'modelRetries']);
    assert.equal(first.out, `${files.at('work/.skilled/settings.json')}\n`);
    assert.equal(readFileSync(files.at('work/.skilled/settings.json'), 'utf8'), '{"offline": true}');
    assert.equal((await config(files, ['get', 'modelRetries'])).out, '5\n');
    const second = await config(files, ['unset', 'modelRetries', '--json']);
    assert.deepEqual(documentOf(second)['file'], files.at('own/settings.json'));
    const third = await config(files, ['unset', 'modelRetries']);
    assert.deepEqual([third.code, third.out], [0, '']);
    assert.match(third.err, /is not set in/);
  });
});

describe('config list, explain and path', () => {
  test('list shows what is set and where; --all also the defaults', async () => {
    using files = project({
      'work/.skilled/settings.json': '{"skills": {"entries": {"a": {"enabled": false}}}}',
      'own/settings.json': '{"skills": {"entries": {"b": {"enabled": true}}}}',
    });
    const ended = await config(files, ['list']);
    assert.match(
      ended.out,
      /^skills\.entries +project, user +\{"b":\{"enabled":true\},"a":\{"enabled":false\}\}$/m,
    );
    assert.equal(ended.out.split('\n').length, 3);
    assert.deepEqual(await config(files, []), ended);
    const { settings } = documentOf(await config(files, ['list', '--all', '--json'])) as {
      settings: { key: string; value?: unknown; layers: string[] }[];
    };
    assert.deepEqual(
      settings.find(({ key }) => key === 'limits.depth'),
      {
        key: 'limits.depth',
        value: 8,
        layers: ['default'],
      },
    );
    using bare = project();
    assert.match((await config(bare, ['list'])).err, /Nothing is set/);
  });

  test('explain shows every layer and which one won', async () => {
    using files = project({
      'work/.skilled/settings.json': '{"offline": true}',
      'own/settings.json': '{"offline": false}',
    });
    const { out } = await config(files, ['explain', 'offline', '--no-offline']);
    const lines = out.trimEnd().split('\n');
    assert.equal(lines[0], 'offline = false');
    assert.equal(lines[1], 'Never call a model.');
    assert.deepEqual(
      lines.slice(-6).map((line) => line.trimEnd().replaceAll(files.path, '')),
      [
        '→ flag         false  --no-offline',
        '  environment  -',
        '  local        -',
        '  project      true   /work/.skilled/settings.json',
        '  user         false  /own/settings.json',
        '  default      false',
      ],
    );
    const document = documentOf(await config(files, ['explain', 'offline', '--json']));
    assert.deepEqual(Object.keys(document), [
      'ok',
      'key',
      'description',
      'expected',
      'variable',
      'flag',
      'value',
      'layers',
      'issues',
    ]);
    assert.deepEqual((document['layers'] as { layer: string; wins: boolean }[])[0], {
      layer: 'project',
      from: files.at('work/.skilled/settings.json'),
      value: true,
      wins: true,
    });
  });

  test('the flags of a run are the first layer', async () => {
    using files = project({ 'own/settings.json': '{"models": {"plan": "a/b", "fast": "c/d"}}' });
    const shown = await config(files, ['explain', 'models.plan', '--model', 'plan=e/f']);
    assert.match(shown.out, /^models\.plan = e\/f$/m);
    assert.match(shown.out, /^→ flag +e\/f +--model$/m);
    assert.equal((await config(files, ['get', 'limits.cost', '--max-cost', '0.5'])).out, '0.5\n');
    assert.match(
      (await config(files, ['explain', 'limits.depth', '--max-depth', '3'])).out,
      /^→ flag +3 +--max-depth$/m,
    );
    assert.match((await config(files, ['list', '--timeout', '9'])).out, /^limits\.runSeconds +flag +9$/m);
  });

  test('a layer that can never speak of a setting has no row', async () => {
    using files = project();
    const { out } = await config(files, ['explain', 'tierConfig']);
    assert.doesNotMatch(out, /^. (?:flag|environment) /m);
    assert.match(out, /^ {2}local +-$/m);
    assert.doesNotMatch((await config(files, ['explain', 'store'])).out, /^. flag /m);
  });

  test('a group of settings is not called unknown', async () => {
    using files = project({ 'work/.skilled/settings.json': '{"mine": {"x": 1}}' });
    assert.match((await config(files, ['explain', 'limits'])).out, /^A group of settings;/m);
    assert.match((await config(files, ['explain', 'mine'])).out, /^A key that skilled does not use;/m);
  });

  test('servers are set and shown, their plain secrets are not', async () => {
    const secrets = '"bearer": "hidden-1", "headers": {"X-Api-Key": "hidden-2", "X-Team": "docs"}';
    using files = project({
      'own/settings.json': `{"mcpServers": {"web": {"url": "https://example.org/mcp", ${secrets}}}}`,
    });
    const entry = '{"command": "npx", "env": {"TOKEN": {"env": "MINE"}}}';
    assert.equal((await config(files, ['set', 'mcpServers.files', entry, '--user'])).code, 0);
    for (const key of ['mcpServers', 'mcpServers.web', 'mcpServers.web.bearer', 'mcpServers.web.headers'])
      for (const action of ['get', 'explain'])
        assert.doesNotMatch((await config(files, [action, key])).out, /hidden/, `${action} ${key}`);
    assert.match((await config(files, ['list'])).out, /"X-Team":"docs".*\{"env":"MINE"\}/);
    const wrong = await config(files, ['set', 'mcpServers.files.timeoutSeconds', '0', '--user']);
    assert.match(wrong.err, /"mcpServers\.files\.timeoutSeconds" must be a whole number of at least 1/);
  });

  test('path names the files in order', async () => {
    using files = project({ 'own/settings.json': '{}' });
    assert.deepEqual(documentOf(await config(files, ['path', '--json'])), {
      ok: true,
      files: [
        { layer: 'local', file: files.at('work/.skilled/settings.local.json'), exists: false },
        { layer: 'project', file: files.at('work/.skilled/settings.json'), exists: false },
        { layer: 'user', file: files.at('own/settings.json'), exists: true },
      ],
    });
    assert.match((await config(files, ['path'])).out, /^user {5}exists {2}.*own\/settings\.json$/m);
  });
});

describe('a key by its name in release 0.1', () => {
  const note = '"limits.money" is now "limits.cost". The next release ignores the old name.\n';
  const own = 'own/settings.json';
  const valuesIn = (files: Tree): unknown => JSON.parse(readFileSync(files.at(own), 'utf8'));

  test('config set writes the new one and takes the old one out', async () => {
    using files = project({ [own]: '{\n  // mine\n  "limits": { "money": 2, "depth": 3 }\n}\n' });
    const ended = await config(files, ['set', 'limits.money', '1.5', '--user']);
    assert.deepEqual(ended, { code: 0, out: `${files.at(own)}\n`, err: note });
    const text = readFileSync(files.at(own), 'utf8');
    assert.match(text, /\/\/ mine/);
    assert.doesNotMatch(text, /money/);
    assert.equal((await config(files, ['get', 'limits'])).out.includes('"cost":1.5'), true);
    assert.equal((await config(files, ['get', 'limits.depth'])).out, '3\n');
  });

  test('config set takes it in a whole group', async () => {
    using files = project();
    const ended = await config(files, ['set', 'limits', '{"money": 1, "depth": 2}', '--user']);
    assert.deepEqual([ended.code, ended.err], [0, note]);
    assert.deepEqual(valuesIn(files), { limits: { cost: 1, depth: 2 } });
    const wrong = await config(files, ['set', 'limits', '{"money": "x"}', '--user', '--json']);
    assert.match(errorIn(wrong).message, /"limits\.cost" must be a number/);
  });

  test('config get and explain say what the new one is; with --json the document alone is on stdout', async () => {
    using files = project({ [own]: '{"limits": {"money": 2}}' });
    const got = await config(files, ['get', 'limits.money']);
    assert.equal(got.out, '2\n');
    assert.ok(got.err.startsWith(note));
    assert.match(got.err, /settings\.json:1: warning: "limits\.money" is now "limits\.cost"\./);
    assert.equal((await config(files, ['get', 'limits.money', '--quiet'])).err, '');
    const document = documentOf(await config(files, ['get', 'limits.money', '--json']));
    assert.deepEqual([document['key'], document['value']], ['limits.cost', 2]);
    const shown = await config(files, ['explain', 'limits.money']);
    assert.match(shown.out, /^limits\.cost = 2$/m);
    assert.match(shown.out, /^→ user +2 /m);
  });

  test('config unset takes out both, and says where neither is', async () => {
    for (const limits of ['{ "money": 2 }', '{ "cost": 2 }', '{ "money": 2, "cost": 3 }']) {
      using files = project({ [own]: `{ "offline": true, "limits": ${limits} }\n` });
      const ended = await config(files, ['unset', 'limits.money', '--user']);
      assert.deepEqual([ended.code, ended.out, ended.err], [0, `${files.at(own)}\n`, note]);
      assert.doesNotMatch(readFileSync(files.at(own), 'utf8'), /money|cost/);
      const again = await config(files, ['unset', 'limits.money', '--user']);
      assert.match(again.err, /^limits\.cost is not set in /m);
    }
  });

  test('a variable by its old name is named as it was set', async () => {
    using files = project();
    process.env['SKILLED_LIMITS_MONEY'] = '4';
    try {
      const ended = await config(files, ['set', 'limits.cost', '2', '--user']);
      assert.match(ended.err, /^SKILLED_LIMITS_MONEY \(environment\) /);
      const got = await config(files, ['get', 'limits.cost']);
      assert.equal(got.out, '4\n');
      assert.match(got.err, /SKILLED_LIMITS_MONEY is now SKILLED_LIMITS_COST\./);
    } finally {
      delete process.env['SKILLED_LIMITS_MONEY'];
    }
  });
});
