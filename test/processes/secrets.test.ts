import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import { defineSkill } from '../../src/core/define-skill.ts';
import { AgentError } from '../../src/core/error.ts';
import type { RunEvent, RunHandle } from '../../src/core/event.ts';
import type { Json } from '../../src/core/json.ts';
import { collect } from '../../src/core/model.ts';
import type { Output } from '../../src/core/run.ts';
import { createScriptedModel } from '../../src/models/scripted.ts';
import { sharedStores, type SharedStore } from './stores.ts';

const { kinds } = await sharedStores();

const digits = (length: number): string => randomBytes(length).toString('hex').slice(0, length);

/** Texts that must not be stored, keyed by origin. Created for each test run. */
const secrets = {
  variable: `kept-${digits(24)}`,
  option: `a phrase "with" \\ odd ${digits(8)}\nparts`,
  hub: ['ghp', digits(36)].join('_'),
  cloud: ['AK', 'IA', digits(16).toUpperCase()].join(''),
  model: ['sk', 'proj', digits(40)].join('-'),
  web: [20, 30]
    .map((length) => ['e', 'yJ', digits(length)].join(''))
    .concat(digits(43))
    .join('.'),
  password: digits(20),
} as const;
const planted: readonly string[] = [...Object.values(secrets)];

/** A text with all of them. The password is recognised by its URL. */
const loud = [
  ...planted.filter((secret) => secret !== secrets.password),
  `postgres://somebody:${secrets.password}@example.org/things`,
].join(' and ');

process.env['MY_SERVICE_TOKEN'] = secrets.variable;
after(() => Reflect.deleteProperty(process.env, 'MY_SERVICE_TOKEN'));

for (const kind of kinds) {
  describe(kind.name, { skip: kind.skip }, () => {
    test('secrets are kept nowhere and shown nowhere, wherever they turn up', async () => {
      const store = kind.locate('secrets');
      await using agent = agentOn(store);
      const first = agent.run({ skill: 'teller', input: { loud, [loud]: [loud] } });
      const waiting = await first.result;
      assert.equal(waiting.status, 'waiting', JSON.stringify(waiting));
      checkSilent('the result of a run that waits', JSON.stringify(waiting));
      checkSilent('what is stored before the answer', await storedIn(kind, store));
      await agent.runs.answer(first.id, { loud });
      checkSilent('the stored answer', await storedIn(kind, store));
      const second = agent.runs.resume(first.id);
      const result = await second.result;
      assert.equal(result.status, 'done', JSON.stringify(result));
      assert.match(result.text, /\[redacted\]/);
      checkSilent('the result', JSON.stringify(result));
      checkSilent('the listing', JSON.stringify(await agent.runs.list()));
      for (const handle of [first, second]) checkEvents(await eventsOf(handle));
      const types = new Set((await agent.runs.events(first.id)).map(({ type }) => type));
      for (const type of ['note.added', 'model.ended', 'input.resolved', 'call.refused'] as const) {
        assert.ok(types.has(type), `the run has no ${type}`);
      }
      checkSilent('what is stored', await storedIn(kind, store));
      await agent.shutdown();
      checkSilent('what is stored after all', await storedIn(kind, store));
    });

    test('a run that fails or is cancelled with a secret for a reason keeps it nowhere', async () => {
      const store = kind.locate('reasons');
      await using agent = agentOn(store);
      const failed = agent.run({ skill: 'thrower', input: 'plain' });
      const failure = await failed.result;
      assert.equal(failure.status, 'failed');
      const cancelled = agent.run({ skill: 'sleeper' });
      await cancelled.cancel(loud);
      const abandoned = agent.run({ skill: 'asker' });
      assert.equal((await abandoned.result).status, 'waiting');
      await agent.runs.cancel(abandoned.id, loud);
      for (const handle of [failed, cancelled, abandoned]) {
        checkSilent('the result', JSON.stringify(await handle.result));
        checkSilent('the result from the store', JSON.stringify(await agent.runs.result(handle.id)));
        checkEvents(await eventsOf(handle));
      }
      checkSilent('what is stored', await storedIn(kind, store));
    });

    test('names and keys that hold a secret are kept without it', async () => {
      const store = kind.locate('keys');
      await using agent = agentOn(store);
      const handle = agent.run({ skill: 'namer' });
      const result = await handle.result;
      assert.equal(result.status, 'done', JSON.stringify(result));
      checkSilent('the result', JSON.stringify(result));
      checkEvents(await eventsOf(handle));
      checkSilent('what is stored', await storedIn(kind, store));
      const unknown = agent.run({ skill: loud, session: loud });
      checkSilent('the result of a skill that is none', JSON.stringify(await unknown.result));
      checkEvents(await eventsOf(unknown));
      checkSilent('what is stored of it', await storedIn(kind, store));
    });
  });
}

function agentOn(store: string): RecursiveSkilledAgent {
  const model = createScriptedModel(() => ({
    text: `I know ${loud}.`,
    pieces: 40,
    calls: [{ name: 'echo', input: { loud } }],
  }));
  const agent = new RecursiveSkilledAgent({
    store,
    secrets: [secrets.option],
    models: { fast: model },
    embeddings: false,
  });
  for (const skill of printing) agent.skills.register(skill);
  return agent;
}

const printing = [
  defineSkill({
    name: 'teller',
    description: 'Tells everything.',
    async run(_input, scope) {
      scope.note(`Look: ${loud}`, { loud, list: [loud] });
      const stored = await scope.step('value', () => ({ loud, [loud]: 1 }), { loud });
      const fault = await scope.step('fault', () => Promise.reject(new Error(loud))).catch(messageOf);
      const known = await scope.step('known', () => Promise.reject(knownError())).catch(messageOf);
      scope.memory.set('kept', { loud });
      const remembered = (await scope.memory.get('kept')) ?? null;
      const request = { system: loud, messages: [{ role: 'user', text: loud }] } as const;
      const { text, calls } = await collect(scope.model('fast').stream(request, scope.signal));
      const echo = await scope.call('echo', { loud });
      const thrown = await scope.call('thrower', { loud });
      const refused = await scope.call('nobody', { loud });
      const answer = await scope.ask({ text: `Is it ${loud}?`, options: [loud], schema: { title: loud } });
      const value = { stored, fault, known, remembered, text, calls: calls as unknown as Json, answer, loud };
      return { status: 'done', text: loud, value: { ...value, texts: [echo, thrown, refused].map(textOf) } };
    },
  }),
  defineSkill({
    name: 'echo',
    description: 'Says it again.',
    allowedSkills: [],
    run: (input, scope) => {
      scope.memory.set('echo', input);
      return { status: 'done', text: JSON.stringify(input), value: input };
    },
  }),
  defineSkill({
    name: 'thrower',
    description: 'Fails.',
    run: () => Promise.reject(new Error(`Nobody takes ${loud}.`, { cause: loud })),
  }),
  defineSkill({
    name: 'sleeper',
    description: 'Does not end.',
    run: () => new Promise<Output>(() => undefined),
  }),
  defineSkill({
    name: 'asker',
    description: 'Asks.',
    run: async (_input, scope) => ({ status: 'done', text: JSON.stringify(await scope.ask('What now?')) }),
  }),
  defineSkill({
    name: 'namer',
    description: 'Calls things by secret names.',
    async run(_input, scope) {
      await scope.step(`get ${loud}`, () => 'got');
      scope.memory.set(loud, 1);
      await scope.call('echo', 1, { key: loud });
      const { text } = await scope.call(loud, 1);
      return { status: 'done', text };
    },
  }),
];

function knownError(): AgentError {
  return new AgentError('skill.failed', loud, { hint: loud, details: { loud } });
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.message} ${JSON.stringify(thrown)}` : 'no error';
}

function textOf({ text }: Output): string {
  return text;
}

async function eventsOf({ events }: RunHandle): Promise<readonly RunEvent[]> {
  const received: RunEvent[] = [];
  for await (const event of events) received.push(event);
  return received;
}

function checkEvents(events: readonly RunEvent[]): void {
  for (const event of events) checkSilent(`an event ${event.type}`, JSON.stringify(event));
  const pieces = events.map((event) => (event.type === 'model.delta' ? event.text : ''));
  checkSilent('the pieces of an answer', pieces.join(''));
}

/** Returns everything in a store's files or tables, as text with at least one byte per character. */
async function storedIn(kind: SharedStore, store: string): Promise<string> {
  if (kind.name !== 'PostgreSQL') {
    const files = ['', '-wal', '-shm'].map((end) => store + end).filter(existsSync);
    return files.map((file) => readFileSync(file, 'latin1')).join('');
  }
  const client = new pg.Client({ connectionString: store });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_schema not in ('pg_catalog', 'information_schema')`,
    );
    const rows = [];
    for (const { name } of tables.rows) {
      rows.push(
        ...(await client.query<{ row: string }>(`select kept::text as row from ${name} as kept`)).rows,
      );
    }
    assert.ok(rows.length > 0);
    return rows.map(({ row }) => row).join('\n');
  } finally {
    await client.end();
  }
}

/** Checks that no secret occurs, either as it is or as JSON or a table encodes it. */
function checkSilent(where: string, text: string): void {
  for (const [name, secret] of Object.entries(secrets)) {
    const json = JSON.stringify(secret).slice(1, -1);
    const forms = [secret, json, json.replaceAll('\\', '\\\\').replaceAll('"', '""'), JSON.stringify(json)];
    const position = forms.map((form) => text.indexOf(form)).find((found) => found >= 0);
    const around = position === undefined ? '' : text.slice(Math.max(0, position - 80), position + 20);
    assert.equal(position, undefined, `${where} holds the secret "${name}": ${around}`);
  }
}
