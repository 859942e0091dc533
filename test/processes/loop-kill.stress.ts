// Takes two shares: its rounds are long.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunEvent } from '../../src/core/event.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';
import { openModelServer, type ModelServer } from '../../src/testing/model-server/server.ts';
import type { ServedReply, ServedRequest, ServedScript } from '../../src/testing/model-server/script.ts';
import { crashPoints } from '../stress/crash-points.ts';
import { openLoops } from '../stress/stress.ts';
import { ofType } from '../support/kernel.ts';
import { resultsIn } from '../support/wire-results.ts';
import { checkLog, effectsIn, logOf, startWorker, stepKeys } from './start-worker.ts';
import { sharedStores, type SharedStore } from './stores.ts';
import { systemPrompt } from './thinking-skills.ts';
import type { WorkerOrder } from './worker.ts';

const { createLoop } = openLoops(import.meta);
const { folder, kinds } = await sharedStores();
const cache = folder.at('cache');
folder.write('work/a.txt', 'alpha\n');
folder.write('work/sub/b.txt', 'beta\n');
const effects = ['errand', 'one', 'three', 'two'];

for (const kind of kinds) {
  const isFirst = kind === kinds[0];
  const atBoundaries = createLoop({ small: isFirst ? 2 : 1, full: isFirst ? Infinity : 40, lanes: 2 });
  const inAnswers = createLoop({ small: isFirst ? 1 : 0, full: Infinity, lanes: 2 });

  test(`${kind.name}: a loop is killed with -9 and taken over`, { skip: kind.skip }, async (t) => {
    const reference = await undisturbed(kind);

    await t.test('at every journal boundary', async (t) => {
      const points = crashPoints(reference.appends + 1);
      let again = 0;
      const kills = await atBoundaries.each(points, async (kill) => {
        await using server = await openModelServer(answer);
        await round(kind, server, `${kill.when}-${kill.at}`, reference, { kill });
        again += Math.max(0, server.requests.length - reference.bodies.length);
      });
      t.diagnostic(`${kills} kills, ${again} requests in flight were made again`);
    });

    await t.test('in the middle of an answer of the model', async () => {
      const all = reference.bodies.map((_, index) => index);
      await inAnswers.each(all, async (index) => {
        let isHung = false;
        const hanging: ServedScript = (request) => {
          if (isHung || server.requests.length !== index + 1) return answer(request);
          isHung = true;
          return { ...answer(request), hang: true, faultAfter: 1 };
        };
        await using server: ModelServer = await openModelServer(hanging);
        await round(kind, server, `stream-${index}`, reference, { whileAsked: index });
        assert.deepEqual(bodiesOf(server), [
          ...reference.bodies.slice(0, index + 1),
          ...reference.bodies.slice(index),
        ]);
        await server.closed(index);
      });
    });
  });
}

/** Returns the model's reply, which depends only on the conversation. */
function answer(request: ServedRequest): ServedReply {
  const results = resultsIn(request).length;
  if (JSON.stringify(request.body).includes(systemPrompt)) {
    const call = { name: 'work', input: { input: 'errand' }, id: 'e1' };
    return results === 0 ? { text: 'It goes quickly.', calls: [call] } : { text: 'The errand is run.' };
  }
  const work = (name: string, id: string): NonNullable<ServedReply['calls']>[number] => ({
    name: 'work',
    input: { input: name },
    id,
  });
  switch (results) {
    case 0: {
      const read = { name: 'read', input: { file_path: 'a.txt' }, id: 'r1' };
      const calls = [read, work('one', 'w1'), work('two', 'w2')];
      return { reasoning: 'It has a file.', signature: 'c2lnbmVk', text: 'First three at once.', calls };
    }
    case 3: {
      const glob = { name: 'glob', input: { pattern: '**/b.txt' }, id: 'g1' };
      return { calls: [glob, { name: 'errand', input: { input: 'Run it.' }, id: 'n1' }] };
    }
    case 5:
      return { text: 'One more.', calls: [work('three', 'w3')] };
    default:
      return { text: 'All of it is done.' };
  }
}

/** The outcome of an undisturbed run. */
interface Reference {
  readonly value: Json;
  readonly appends: number;
  /** The model requests, in their only possible order. */
  readonly bodies: readonly JsonObject[];
}

async function undisturbed(kind: SharedStore): Promise<Reference> {
  await using server = await openModelServer(answer);
  const { order, environment } = orderOf(kind, server, `reference-${Math.random()}`);
  await using worker = startWorker(order, cache, environment);
  const { result, appends } = await worker.line('result');
  assert.equal(result.text, 'All of it is done.', JSON.stringify(result));
  assert.equal((await worker.ended).code, 0);
  assert.equal(server.requests.length, 6);
  return { value: result.value ?? null, appends, bodies: bodiesOf(server) };
}

/** The moment at which the first process dies: at an append, or when the model starts its n-th answer. */
type Fate = { readonly kill: NonNullable<WorkerOrder['kill']> } | { readonly whileAsked: number };

/** Kills a run once and resumes it. Checks that no finished request or effect is repeated. */
async function round(
  kind: SharedStore,
  server: ModelServer,
  label: string,
  reference: Reference,
  fate: Fate,
): Promise<void> {
  const { order, environment } = orderOf(kind, server, label);
  const id = await liveUntil(order, environment, server, fate);
  const before = await logOf(order.store, id);
  checkRequests(server, 0, [], reference, label);
  if (before.length === 0) {
    assert.deepEqual(effectsIn(order.effects), [], `${label}: effects without a log`);
    return;
  }
  if (before.at(-1)?.type !== 'run.ended') {
    const [asked, performed] = [server.requests.length, effectsIn(order.effects).length];
    await using worker = startWorker({ ...order, run: id }, cache, environment);
    await worker.line('result');
    assert.equal((await worker.ended).code, 0);
    checkRequests(server, asked, before, reference, label);
    const ended = new Set(stepKeys(before, 'step.ended'));
    const again = effectsIn(order.effects).slice(performed);
    assert.deepEqual(
      again.filter(({ key }) => ended.has(key)),
      [],
      `${label}: finished calls were made again`,
    );
  }
  const log = await logOf(order.store, id);
  checkLog(log);
  const end = log.at(-1);
  assert.ok(end?.type === 'run.ended' && end.output.status === 'done', `${label}: ${JSON.stringify(end)}`);
  assert.deepEqual(end.output.value, reference.value, `${label}: another conversation`);
  const keys = new Map(effectsIn(order.effects).map(({ step, key }) => [key, step]));
  assert.deepEqual([...keys.values()].sort(), effects, `${label}: the effects are others`);
}

/** Returns the id of a run whose process was killed, or ended before that. */
async function liveUntil(
  order: WorkerOrder,
  environment: Readonly<Record<string, string>>,
  server: ModelServer,
  fate: Fate,
): Promise<string> {
  const kill = 'kill' in fate ? { kill: fate.kill } : {};
  await using worker = startWorker({ ...order, ...kill }, cache, environment);
  const { id } = await worker.line('id');
  if ('whileAsked' in fate) {
    await server.waitForRequest(fate.whileAsked);
    worker.signal('SIGKILL');
  }
  const { code, signal, err } = await worker.ended;
  assert.ok(signal === 'SIGKILL' || code === 0, err);
  return id;
}

/** Checks that a process makes exactly the requests that the log of the earlier processes does not answer. */
function checkRequests(
  server: ModelServer,
  from: number,
  log: readonly RunEvent[],
  { bodies }: Reference,
  label: string,
): void {
  const asked = bodiesOf(server).slice(from);
  const answered = ofType(log, 'model.ended').length;
  const due = bodies.slice(answered);
  assert.deepEqual(asked, due.slice(0, asked.length), `${label}: it asked something else`);
}

function bodiesOf({ requests }: ModelServer): readonly JsonObject[] {
  return requests.map(({ body }) => body);
}

/**
 * Returns the order for a store. Each kind uses a different provider: from the environment, or from settings.
 */
function orderOf(
  kind: SharedStore,
  { url }: ModelServer,
  label: string,
): { readonly order: WorkerOrder; readonly environment: Readonly<Record<string, string>> } {
  const isAnthropic = kind.name === 'SQLite';
  const models = isAnthropic ? 'anthropic/claude-sonnet-5-5' : 'office/large';
  const providers = { office: { baseUrl: `${url}/v1` } };
  return {
    order: {
      store: kind.locate(`loop-${label}`),
      effects: folder.at(`loop-${label}-${kind.name}.effects`),
      run: { skill: 'ponder', input: 'What is to be done?' },
      options: { models, providers, workspace: folder.at('work') },
    },
    environment: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-test-4f9a8b7c6d5e4f3a2b1c0d9e' },
  };
}
