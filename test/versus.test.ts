import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { openModelServer, type ServedRequest, type ServedScript } from '../src/testing/index.ts';
import { linkPackages } from './support/link-packages.ts';
import { root } from './support/pages.ts';
import { tree, type Tree } from './support/tree.ts';

// The same tasks with skilled and with the AI SDK, each against the same scripted model over HTTP.

const folder = join(root, 'examples', 'versus');
const sides = ['skilled', 'ai-sdk'] as const;
type Side = (typeof sides)[number];

const tasks: Readonly<Record<string, { readonly script: ServedScript; readonly prints: readonly string[] }>> =
  {
    'one-tool': {
      script: [{ calls: [{ name: 'weather', input: { city: 'Bergen' } }] }, 'It is 21 degrees.'],
      prints: ['It is 21 degrees.'],
    },
    'typed-result': {
      script: ({ body }) => {
        const value = { customer: 'Ann', loaves: 2 };
        const submits = JSON.stringify(body['tools'] ?? []).includes('"submit"');
        return submits ? { calls: [{ name: 'submit', input: value }] } : JSON.stringify(value);
      },
      prints: ['Ann 8.4'],
    },
    'web-response': { script: ['Rye keeps for a week.'], prints: ['Rye keeps for a week.'] },
    'mcp-tools': {
      script: (request, turn) =>
        turn === 1 ? { calls: [{ name: toolNamed('news', request) }] } : 'The shop closes at one.',
      prints: ['The shop closes at one.'],
    },
    approval: {
      script: [{ calls: [{ name: 'refund', input: { amount: 250 } }] }, 'It is refunded.'],
      prints: ['asks refund { amount: 250 }', 'It is refunded.'],
    },
    'after-a-crash': {
      script: (request) => {
        const paid = JSON.stringify(request.body).split('Paid.').length - 1;
        const to = ['Ann', 'Ben'][paid];
        return to === undefined ? 'Both are paid.' : { calls: [{ name: 'pay', input: { to } }] };
      },
      prints: ['Both are paid.'],
    },
  };

/** Returns the name under which a request offers a tool. A server's name can be part of it. */
function toolNamed(name: string, { body }: ServedRequest): string {
  const names = [...JSON.stringify(body['tools']).matchAll(/"name":"([^"]+)"/g)].map(([, one = '']) => one);
  return names.find((one) => one.endsWith(name)) ?? assert.fail(`no tool ${name} in ${names.join()}`);
}

/** Opens a project with the examples and the packages that they import. */
function project(): Tree {
  const files = tree({ 'package.json': '{ "type": "module" }', 'board-server.mjs': noticeServer });
  linkPackages(files.path);
  for (const file of globSync('*.ts', { cwd: folder }))
    files.write(file, readFileSync(join(folder, file), 'utf8'));
  for (const side of sides) files.write(`web-client.${side}.ts`, webClient(side));
  return files;
}

function programOf(task: string, side: Side): string {
  return task === 'web-response' ? `web-client.${side}.ts` : `${task}.${side}.ts`;
}

function environment(url: string, home: string): NodeJS.ProcessEnv {
  const { PATH } = process.env;
  return {
    PATH,
    HOME: home,
    OPENAI_API_KEY: 'test-key',
    OPENAI_BASE_URL: `${url}/v1`,
    AI_SDK_LOG_WARNINGS: 'false',
  };
}

describe('the same task', { concurrency: true }, () => {
  test('is here for skilled and for the AI SDK, and is run', () => {
    const files = Object.keys(tasks).flatMap((task) => sides.map((side) => `${task}.${side}.ts`));
    assert.deepEqual(globSync('*.ts', { cwd: folder }).sort(), files.sort());
  });

  for (const [task, { script, prints }] of Object.entries(tasks)) {
    for (const side of sides) {
      test(`${task} works with ${side}`, async () => {
        using files = project();
        await using server = await openModelServer(script);
        const env = environment(server.url, files.path);
        const { stdout } = await promisify(execFile)(process.execPath, [programOf(task, side)], {
          cwd: files.path,
          env,
        });
        assert.deepEqual(stdout.trim().split('\n'), prints);
      });
    }

    test(`${task} is not longer with skilled`, () => {
      const [own = 0, other = 0] = sides.map((side) => linesOf(task, side));
      assert.ok(own <= other + 2, `${own} lines instead of ${other}`);
      const [imports = 0, otherImports = 0] = sides.map((side) => importsOf(task, side));
      assert.ok(imports <= otherImports, `${imports} imports instead of ${otherImports}`);
    });
  }

  for (const side of sides) {
    test(`after-a-crash pays each person once with ${side}, if it is killed between the steps`, async () => {
      using files = project();
      const { script } = tasks['after-a-crash'] ?? assert.fail();
      const isFirst = Promise.withResolvers<undefined>();
      await using server = await openModelServer((request, turn) => {
        if (turn !== 2) return typeof script === 'function' ? script(request, turn) : undefined;
        isFirst.resolve(undefined);
        return { hang: 'request' };
      });
      const env = environment(server.url, files.path);
      const options = { cwd: files.path, env };
      const child = spawn(process.execPath, [programOf('after-a-crash', side)], {
        ...options,
        stdio: 'ignore',
      });
      await isFirst.promise;
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('close', resolve));
      const program = [programOf('after-a-crash', side)];
      const { stdout } = await promisify(execFile)(process.execPath, program, options);
      assert.equal(stdout.trim(), 'Both are paid.');
      assert.equal(readFileSync(files.at('payments.txt'), 'utf8'), 'Ann\nBen\n');
    });
  }
});

function sourceOf(task: string, side: Side): string {
  return readFileSync(join(folder, `${task}.${side}.ts`), 'utf8');
}

/** The number of lines with code. */
function linesOf(task: string, side: Side): number {
  return sourceOf(task, side)
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('//')).length;
}

function importsOf(task: string, side: Side): number {
  return sourceOf(task, side).match(/^import /gm)?.length ?? 0;
}

/** A server of one tool, over stdio. */
const noticeServer = `
import { createInterface } from 'node:readline';
const tool = {
  name: 'news',
  description: 'Returns what is new today.',
  inputSchema: { type: 'object', properties: {} },
  annotations: { readOnlyHint: true },
};
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'board', version: '1' },
  }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'The shop closes at one.' }] }),
  ping: () => ({}),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const error = { code: -32601, message: 'unknown' };
  const reply = answer === undefined ? { error } : { result: answer(params) };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...reply }));
});
`;

/** A client that sends one message to the handler, and prints the text of the answer. */
function webClient(side: Side): string {
  return `
import { DefaultChatTransport, readUIMessageStream } from 'ai';
import { POST } from './web-response.${side}.ts';

const transport = new DefaultChatTransport({
  api: 'http://localhost/chat',
  fetch: (url, init) => POST(new Request(url, init)),
});
const message = { id: '1', role: 'user', parts: [{ type: 'text', text: 'How long does rye keep?' }] };
const request = { chatId: 'c', messages: [message], trigger: 'submit-message', messageId: undefined };
let last;
for await (const state of readUIMessageStream({ stream: await transport.sendMessages(request) })) last = state;
console.log(last.parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join(''));
process.exit();
`;
}
