import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tree } from '../../../test/support/tree.ts';
import { trustProject } from '../../../test/support/trust-project.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { collect, type ModelReply } from '../../core/model.ts';
import { openModelServer } from '../../testing/model-server/server.ts';
import { readSettings, settingsSources } from '../read/settings.ts';
import { createModelOpener } from './open-models.ts';

const mine = 'key-of-the-user';
const theirs = 'key-of-the-project';

/**
 * The settings of the user and of a trusted project. `@user` and `@project` are the addresses of two servers.
 */
interface Row {
  readonly model: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly user?: JsonObject;
  readonly project?: JsonObject;
  /** The server that is asked and the key, or else the two sources that the refusal names. */
  readonly reaches?: readonly ['@user' | '@project', string | undefined];
  readonly refused?: readonly [key: string, address: string];
}

const known = [
  ['anthropic/x', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'],
  ['openai/x', 'OPENAI_API_KEY', 'OPENAI_BASE_URL'],
] as const;

function rowsOf([model, key, url]: (typeof known)[number]): Readonly<Record<string, Row>> {
  const yours = { [key]: mine, [url]: '@user' };
  const projects = { [key]: theirs, [url]: '@project' };
  const refusedKey = (from: string): string => `${key} ${from}`;
  return {
    'both from the environment': { model, environment: yours, reaches: ['@user', mine] },
    'both from .env': { model, env: projects, reaches: ['@project', theirs] },
    'both from both: the environment': { model, environment: yours, env: projects, reaches: ['@user', mine] },
    'the address from the environment, both from .env': {
      model,
      environment: { [url]: '@user' },
      env: projects,
      reaches: ['@project', theirs],
    },
    'your key, the address of .env': {
      model,
      environment: { [key]: mine },
      env: { [url]: '@project' },
      refused: [refusedKey('environment'), `${url} .env`],
    },
    'the key of .env, your address': {
      model,
      environment: { [url]: '@user' },
      env: { [key]: theirs },
      refused: [refusedKey('.env'), `${url} environment`],
    },
    'an address of .env and no key': { model, env: { [url]: '@project' }, reaches: ['@project', undefined] },
  };
}

/** Providers that have no variable for their address, so that only settings can change it. */
function serverRows(name: string, key: string): Readonly<Record<string, Row>> {
  const model = `${name}/x`;
  const server = (baseUrl: string): JsonObject => ({ providers: { [name]: { baseUrl, apiKeyEnv: key } } });
  const address = `providers.${name}.baseUrl`;
  return {
    'your server, your key': {
      model,
      user: server('@user'),
      environment: { [key]: mine },
      reaches: ['@user', mine],
    },
    'the server of the project, its key': {
      model,
      project: server('@project'),
      env: { [key]: theirs },
      reaches: ['@project', theirs],
    },
    'the server of the project, your key': {
      model,
      project: server('@project'),
      environment: { [key]: mine },
      refused: [`${key} environment`, `${address} the settings of the project`],
    },
    'your server, the key of the project': {
      model,
      user: server('@user'),
      project: server('@project'),
      env: { [key]: theirs },
      refused: [`${key} .env`, `${address} your settings`],
    },
    'two servers of one name: yours': {
      model,
      user: server('@user'),
      project: server('@project'),
      environment: { [key]: mine },
      env: { [key]: theirs },
      reaches: ['@user', mine],
    },
    'the server of the project, the variable of your environment': {
      model: 'custom/x',
      environment: { SKILLED_API_KEY_ENV: key, [key]: mine },
      project: { providers: { custom: { baseUrl: '@project' } } },
      refused: [`${key} environment`, 'providers.custom.baseUrl the settings of the project'],
    },
    'a project that claims its server for the user': {
      model,
      environment: { [key]: mine },
      project: {
        providers: { [name]: { baseUrl: '@project', apiKeyEnv: key, addressFrom: 'user', keyFrom: 'user' } },
      },
      refused: [`${key} environment`, `${address} the settings of the project`],
    },
  };
}

const providers: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  ...Object.fromEntries(known.map((one) => [one[0], rowsOf(one)])),
  google: serverRows('google', 'GEMINI_API_KEY'),
  openrouter: serverRows('openrouter', 'OPENROUTER_API_KEY'),
  'a server of the settings': serverRows('office', 'OFFICE_KEY'),
  'the server of --base-url': serverRows('custom', 'CUSTOM_KEY'),
};

for (const [provider, rows] of Object.entries(providers)) {
  describe(`${provider}: a key reaches no address from another source`, () => {
    for (const [name, row] of Object.entries(rows)) {
      test(`${name}: ${row.refused === undefined ? 'asked' : 'refused'}`, () => check(row));
    }
  });
}

async function check({
  model,
  environment = {},
  env = {},
  user = {},
  project = {},
  ...row
}: Row): Promise<void> {
  await using yours = await openModelServer(() => 'Hi.');
  await using projects = await openModelServer(() => 'Hi.');
  const fill = <Value extends Json>(value: Value): Value =>
    JSON.parse(
      JSON.stringify(value)
        .replaceAll('@user', `${yours.url}/v1`)
        .replaceAll('@project', `${projects.url}/v1`),
    ) as Value;
  using files = tree({
    'home/.skilled/settings.json': JSON.stringify(fill(user)),
    'work/.skilled/settings.json': JSON.stringify(fill(project)),
    'work/.env': Object.entries(fill(env))
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  });
  const variables = { HOME: files.at('home'), ...fill(environment) };
  const sources = settingsSources(files.at('work'), { environment: variables });
  await trustProject(sources);
  const { settings, issues } = readSettings(sources);
  assert.deepEqual(issues, []);
  const machine = { environment: variables, folder: files.at('work') };
  const reply = await ask(model, settings.modelOptions ?? {}, machine);
  const asked = [...yours.requests, ...projects.requests];
  if (row.reaches === undefined) {
    assert.deepEqual(asked, []);
    const { key, address } = reply.error?.details as Record<string, { name: string; from: string }>;
    assert.equal(reply.error?.code, 'model.denied');
    assert.deepEqual(
      [key, address].map((origin) => `${origin?.name ?? ''} ${origin?.from ?? ''}`),
      row.refused,
    );
    assert.match(reply.error.hint ?? '', /\.env\b/);
    return;
  }
  const [server, secret] = row.reaches;
  assert.equal(reply.text, 'Hi.', JSON.stringify(reply.error));
  assert.deepEqual(
    [yours, projects].map(({ requests }) => requests.length),
    server === '@user' ? [1, 0] : [0, 1],
  );
  const text = JSON.stringify(asked.map(({ headers }) => headers));
  for (const each of [mine, theirs]) assert.equal(text.includes(each), each === secret, text);
}

function ask(
  name: string,
  options: Parameters<typeof createModelOpener>[0],
  machine: Parameters<typeof createModelOpener>[1],
): Promise<ModelReply> {
  const messages = [{ role: 'user', text: 'Hi.' }] as const;
  return collect(
    createModelOpener(options, machine)(name).stream({ messages }, new AbortController().signal),
  );
}
