import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { call, documentOf, errorIn, leaveHome, type Ended } from '../../../../test/support/command.ts';
import { tree, type Tree } from '../../../../test/support/tree.ts';
import type { ModelCheck } from '../../../config/models/open-models.ts';
import type { ModelUse } from '../../../config/models/report.ts';
import { openModelServer } from '../../../testing/model-server/server.ts';

leaveHome();

function project(more: Readonly<Record<string, string>> = {}): Tree {
  const files = tree({ 'work/.git/HEAD': '', ...more });
  process.env['SKILLED_HOME'] = files.at('own');
  return files;
}

function models(files: Tree, args: readonly string[]): Promise<Ended> {
  return call(['models', ...args, '--cwd', files.at('work')]);
}

/** Runs work with these environment variables, and removes them afterwards. */
async function withVariables(
  variables: Readonly<Record<string, string>>,
  work: () => Promise<void>,
): Promise<void> {
  Object.assign(process.env, variables);
  try {
    await work();
  } finally {
    for (const name of Object.keys(variables)) Reflect.deleteProperty(process.env, name);
  }
}

describe('models', () => {
  test('a key in the environment is found, used, and never printed', async () => {
    using files = project();
    await withVariables({ ANTHROPIC_API_KEY: 'open-sesame-1' }, async () => {
      const text = await models(files, []);
      assert.equal(text.code, 0);
      assert.match(text.out, /^ {2}Anthropic +ANTHROPIC_API_KEY \(environment\)$/m);
      assert.match(text.out, /^plan +plan +anthropic\/\S+ .*found$/m);
      assert.match(text.out, /as of \d{4}-\d{2}/);
      const document = documentOf(await models(files, ['--json']));
      const uses = document['uses'] as readonly ModelUse[];
      assert.deepEqual(
        uses.map(({ role }) => role),
        ['plan', 'execution', 'code', 'summary'],
      );
      assert.doesNotMatch(JSON.stringify([text, document]), /open-sesame/);
    });
  });

  test('an address that a variable moves elsewhere is shown, without its password', async () => {
    using files = project();
    const variables = { ANTHROPIC_BASE_URL: 'http://ann:open-sesame-3@127.0.0.1:9', OPENAI_BASE_URL: '' };
    await withVariables(variables, async () => {
      const { out } = await models(files, ['--offline']);
      assert.match(out, /^ {2}Anthropic +http:\/\/127\.0\.0\.1:9\/v1 \(ANTHROPIC_BASE_URL\)$/m);
      assert.deepEqual(documentOf(await models(files, ['--offline', '--json']))['moved'], [
        {
          provider: 'anthropic',
          label: 'Anthropic',
          url: 'http://127.0.0.1:9/v1',
          variable: 'ANTHROPIC_BASE_URL',
        },
      ]);
    });
  });

  test('a key in the .env of a trusted project is found, but not with --safe', async () => {
    using files = project({ 'work/.env': 'OPENROUTER_API_KEY="open-sesame-2"\n' });
    const before = await models(files, []);
    assert.doesNotMatch(before.out, /\(\.env\)/);
    assert.match(before.err, /OPENROUTER_API_KEY .*\.env is ignored.*skilled trust grant \./);
    const ended = await call(['trust', 'grant', '.', '--cwd', files.at('work')]);
    assert.match(ended.out, /now applies +\.env OPENROUTER_API_KEY/);
    const { out, err } = await models(files, []);
    assert.equal(err, '');
    assert.match(out, /^ {2}OpenRouter +OPENROUTER_API_KEY \(\.env\)$/m);
    assert.doesNotMatch(out, /open-sesame/);
    assert.doesNotMatch((await models(files, ['--safe'])).out, /OPENROUTER_API_KEY \(\.env\)/);
  });

  test('each role says which layer decides, with fallbacks and prices', async () => {
    using files = project({
      'work/.skilled/settings.json': '{"models": {"fast": ["ollama/a", "openai/gpt-5"]}}',
      'own/settings.json': '{"models": "anthropic/b", "prices": {"ollama/a": {"input": 0.5, "output": 1}}}',
    });
    await call(['trust', 'grant', '.', '--cwd', files.at('work')]);
    await withVariables({ SKILLED_MODEL_CODE: 'ollama/c' }, async () => {
      const { out } = await models(files, ['--model', 'plan=ollama/p', '--offline']);
      assert.match(out, /^Offline: no model is called\.$/m);
      assert.match(out, /^plan +plan +ollama\/p +flag --model$/m);
      assert.match(out, /^execution +fast +ollama\/a +0\.5 \/ 1 +project .*settings\.json$/m);
      assert.match(out, /^ +openai\/gpt-5 .*fallback$/m);
      assert.match(out, /^code +code +ollama\/c +environment SKILLED_MODEL_CODE$/m);
      assert.match(out, /^ +default +anthropic\/b +user .*settings\.json$/m);
      assert.match(out, /^! anthropic\/b: ANTHROPIC_API_KEY is not set\.$/m);
    });
  });

  const mistakes: readonly (readonly [args: readonly string[], message: RegExp])[] = [
    [['--model', 'llama'], /has no provider/],
    [['--model', 'plan=llama'], /has no provider/],
    [['--model', ''], /--model must be a model/],
    [['--base-url', 'localhost:80'], /--base-url must be an http/],
    [['--base-url', 'http://ann:word@x'], /without a password/],
    [['--api-key-env', 'KEY'], /--api-key-env needs --base-url/],
    [['--base-url', 'http://127.0.0.1:1', '--api-key-env', 'sk-or-1'], /the name of an environment variable/],
  ];
  for (const [args, message] of mistakes) {
    test(`models ${args.join(' ')} is refused`, async () => {
      using files = project();
      const ended = await models(files, [...args, '--json']);
      assert.equal(ended.code, 2);
      assert.equal(errorIn(ended).code, 'usage.bad-input');
      assert.match(errorIn(ended).message, message);
      assert.doesNotMatch(ended.out, /sk-or|ann:word/);
    });
  }
});

describe('models --check', () => {
  const checksIn = (ended: Ended): readonly ModelCheck[] =>
    documentOf(ended)['checks'] as readonly ModelCheck[];

  test('asks each model once, and says how long it took', async () => {
    using files = project();
    await using server = await openModelServer(() => 'ok', { authorization: 'open-sesame-3' });
    await withVariables({ MY_KEY: 'open-sesame-3' }, async () => {
      const providerFlags = ['--base-url', `${server.url}/v1`, '--api-key-env', 'MY_KEY'];
      const args = [...providerFlags, '--model', 'one', '--model', 'fast=two', '--check'];
      const text = await models(files, args);
      assert.equal(text.code, 0, text.out + text.err);
      assert.match(text.out, /^ok +custom\/one +\d+\.\d s$/m);
      assert.match(text.out, /^ok +custom\/two +\d+\.\d s$/m);
      const asked = server.requests.filter(({ path }) => path.endsWith('/chat/completions'));
      assert.deepEqual(asked.map(({ body }) => body['model']).sort(), ['one', 'two']);
      assert.ok(asked.every(({ body }) => body['max_tokens'] === 16));
      const ended = await models(files, [...args, '--json']);
      assert.deepEqual([ended.code, documentOf(ended)['ok']], [0, true]);
      assert.deepEqual(
        checksIn(ended).map(({ ok }) => ok),
        [true, true],
      );
      assert.doesNotMatch(text.out + ended.out, /open-sesame/);
    });
  });

  test('a wrong key is one clear error, and exit 6', async () => {
    using files = project();
    await using server = await openModelServer(() => 'ok', { authorization: 'open-sesame-4' });
    await withVariables({ MY_KEY: 'wrong-sesame' }, async () => {
      const providerFlags = ['--base-url', `${server.url}/v1`, '--api-key-env', 'MY_KEY', '--model', 'one'];
      const ended = await models(files, [...providerFlags, '--check', '--json']);
      assert.equal(ended.code, 6);
      const [check] = checksIn(ended);
      assert.equal(check?.error?.code, 'model.denied');
      assert.match(check.error.message, /MY_KEY/);
      const text = await models(files, [...providerFlags, '--check']);
      assert.match(text.out, /^FAIL +custom\/one .*model\.denied: .*MY_KEY/m);
      assert.doesNotMatch(ended.out + text.out + text.err, /wrong-sesame|open-sesame/);
    });
  });

  test('a key that is not set is said before anybody is asked', async () => {
    using files = project();
    await using server = await openModelServer(() => 'ok');
    const providerFlags = [
      '--base-url',
      `${server.url}/v1`,
      '--api-key-env',
      'NO_SUCH_KEY',
      '--model',
      'one',
    ];
    const ended = await models(files, [...providerFlags, '--check']);
    assert.equal(ended.code, 6);
    assert.match(ended.out, /NO_SUCH_KEY is not set/);
    assert.ok(server.requests.every(({ path }) => !path.endsWith('/chat/completions')));
  });

  test('a server that asks for a key says how to name one', async () => {
    using files = project();
    await using server = await openModelServer(() => 'ok', { authorization: 'open-sesame' });
    const ended = await models(files, ['--base-url', `${server.url}/v1`, '--model', 'one', '--check']);
    assert.equal(ended.code, 6);
    assert.match(ended.out, /--api-key-env or SKILLED_API_KEY_ENV/);
  });

  test('a server that is down', async () => {
    using files = project();
    const server = await openModelServer(() => 'ok');
    await server.close();
    const ended = await models(files, [
      '--base-url',
      `${server.url}/v1`,
      '--model',
      'one',
      '--check',
      '--json',
    ]);
    assert.equal(ended.code, 6);
    const [check] = checksIn(ended);
    assert.equal(check?.error?.code, 'model.unavailable');
    assert.ok(check.error.message.includes(server.url));
  });

  test('a model that the server does not have', async () => {
    using files = project();
    await using server = await openModelServer(() => 'ok', { models: ['one'] });
    const providerFlags = ['--base-url', `${server.url}/v1`, '--model', 'one', '--model', 'fast=other'];
    const ended = await models(files, [...providerFlags, '--check', '--json']);
    assert.equal(ended.code, 6);
    assert.deepEqual(
      checksIn(ended)
        .map(({ model, ok, error }) => [model, ok, error?.code])
        .sort(),
      [
        ['custom/one', true, undefined],
        ['custom/other', false, 'model.not-found'],
      ],
    );
  });

  test('without a name the server is asked what it has', async () => {
    using files = project();
    await using server = await openModelServer(() => 'ok', { models: ['nomic-embed', 'llama'] });
    const ended = await models(files, ['--base-url', `${server.url}/v1/`, '--check', '--json']);
    assert.deepEqual(
      checksIn(ended).map(({ model, ok }) => [model, ok]),
      [['custom/llama', true]],
    );
  });

  test('a named server that is dead is what is wrong, and no other key is asked for', async () => {
    using files = project();
    const gone = await openModelServer([]);
    await gone.close();
    const providerFlags = ['--base-url', `${gone.url}/v1`];
    const { code, out } = await models(files, [...providerFlags, '--check']);
    assert.equal(code, 6);
    const note = out.split('\n').find((line) => line.startsWith('! ')) ?? '';
    assert.ok(note.includes(`${gone.url}/v1`) && !note.includes('does not list'), out);
    assert.doesNotMatch(out, /ANTHROPIC_API_KEY/);
    const document = documentOf(await models(files, [...providerFlags, '--json']));
    assert.ok(String(document['faults']).includes(`${gone.url}/v1`));
  });

  test('a gateway of the settings was not asked for its models', async () => {
    await using server = await openModelServer(() => 'ok', { models: ['large', 'small'] });
    const gone = await openModelServer([]);
    await gone.close();
    using files = project({
      'own/settings.json': JSON.stringify({
        models: 'gateway/large',
        providers: {
          gateway: { baseUrl: `${server.url}/v1` },
          dead: { baseUrl: `${gone.url}/v1` },
        },
      }),
    });
    const { code, out } = await models(files, []);
    assert.equal(code, 0);
    assert.match(out, /gateway\/large, gateway\/small/);
    assert.ok(
      out.split('\n').some((line) => line.startsWith('! dead: ') && line.includes(gone.url)),
      out,
    );
    const { named } = documentOf(await models(files, ['--json'])) as {
      named: readonly { models?: unknown }[];
    };
    assert.deepEqual(
      named.map((one) => one.models),
      [['large', 'small'], undefined],
    );
  });

  test('settings that cannot be read are said, and stdout is one document', async () => {
    using files = project({ 'work/.skilled/settings.json': '{ "models": ' });
    const ended = await models(files, ['--offline', '--json']);
    assert.equal(documentOf(ended)['ok'], true);
    assert.match(ended.err, /^\S+settings\.json:1: error: The settings are not valid JSON/);
    assert.equal((await models(files, ['--offline', '--quiet'])).err, '');
  });

  test('offline no one is asked', async () => {
    using files = project();
    await using server = await openModelServer(() => 'ok');
    const ended = await models(files, [
      '--base-url',
      `${server.url}/v1`,
      '--model',
      'one',
      '--check',
      '--offline',
    ]);
    assert.equal(ended.code, 0);
    assert.match(ended.out, /^Offline/);
    assert.deepEqual(server.requests, []);
  });
});
