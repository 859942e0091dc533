import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { CodeResult } from '../../src/core/code.ts';
import { defineSkill } from '../../src/core/define-skill.ts';
import { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import type { Json } from '../../src/core/json.ts';
import type { SandboxProvider } from '../../src/core/sandbox.ts';
import type { Scope } from '../../src/core/scope.ts';
import { createPlainSandboxes } from '../../src/sandboxes/plain-provider.ts';
import { createProcessSandboxes } from '../../src/sandboxes/bubblewrap-provider.ts';
import { withoutBubblewrap } from '../support/bubblewrap.ts';
import { leaveHome } from '../support/command.ts';
import { done, flowFamily, flowsIn, flowText } from '../support/kernel.ts';
import { tree, type Tree } from '../support/tree.ts';
import { createStage, outsideText } from './stage.ts';

leaveHome();

// Exchanges a file and a link to the outside as fast as possible. One of them always exists.
const swapper = `
  const { renameSync, symlinkSync, writeFileSync } = require('node:fs');
  const { workerData: { file, outside, state } } = require('node:worker_threads');
  while (Atomics.load(state, 0) === 0) {
    symlinkSync(outside, file + '.link');
    renameSync(file + '.link', file);
    writeFileSync(file + '.file', 'inside word');
    renameSync(file + '.file', file);
    Atomics.add(state, 1, 1);
  }
`;

const turns = 100; // with five calls each

test('a file that is swapped for a link to outside is never read, found, changed or replaced there', async () => {
  using stage = createStage();
  const file = stage.write('in.txt', 'inside word');
  const outside = join(stage.outside, 'secret.txt');
  const before = readFileSync(outside, 'utf8');
  await using agent = stage.agent({
    permissions: { allow: ['Write', 'Edit'] },
    limits: { leafCalls: 10 * turns },
  });
  const calls: readonly (readonly [string, Json])[] = [
    ['read', { file_path: 'in.txt' }],
    ['write', { file_path: 'in.txt', content: 'PWNED word' }],
    ['edit', { file_path: 'in.txt', old_string: 'word', new_string: 'PWNED' }],
    ['glob', { pattern: 'in*' }],
    ['read', { file_path: stage.at('in.txt') }],
  ];
  agent.skills.register(
    defineSkill({
      name: 'insist',
      description: 'Calls again and again.',
      async run(_input, scope) {
        for (let turn = 0; turn < turns; turn += 1) {
          for (const [name, input] of calls) await scope.call(name, input);
          // Each search uses a separate thread.
          if (turn % 8 === 0) await scope.call('grep', { pattern: '.', glob: 'in*', output_mode: 'content' });
        }
        return { status: 'done', text: '' };
      },
    }),
  );
  const state = new Int32Array(new SharedArrayBuffer(8)); // a stop flag, and the number of swaps
  const worker = new Worker(swapper, { eval: true, workerData: { file, outside, state } });
  const { runId, status } = await agent.run({ skill: 'insist' }).result;
  Atomics.store(state, 0, 1);
  await once(worker, 'exit');
  assert.equal(status, 'done');
  assert.ok(Atomics.load(state, 1) >= turns, 'it was swapped often enough');
  const log = JSON.stringify(await agent.runs.events(runId));
  assert.ok(!log.includes(outsideText));
  assert.match(log, /inside word/, 'the file itself was read');
  assert.match(log, /policy\.denied/, 'and the link was met');
  assert.equal(readFileSync(outside, 'utf8'), before);
});

function textOf({ value }: CodeResult): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The ways in which a skill starts processes. Each returns the word in a file of the bundle, and the path. */
const starts: Readonly<Record<string, (scope: Scope) => Promise<string>>> = {
  async 'a function of its code'({ skill: { dir }, processes: { runCode } }) {
    const limits = { timeoutMs: 20_000, memoryBytes: 2 ** 28 };
    const call = { name: 'action', input: null, functions: {}, facts: {}, ...limits };
    return textOf(await runCode({ ...call, module: `${dir}/src/index.mjs` }));
  },
  async 'a script by a command'({ skill: { dir }, call }) {
    const { text } = await call('bash', { command: `sh ${dir}/scripts/run.sh` });
    return text;
  },
  async 'a script by the variable'({ call }) {
    const { text } = await call('bash', { command: 'sh "$SKILLED_SKILL_DIR/scripts/run.sh"' });
    return text;
  },
  async 'an MCP server'({ resources: { server }, signal }) {
    const box = await server({ kind: 'stdio', name: 'box', command: './server.mjs', args: [], env: {} });
    const [tool] = await box.tools({ signal });
    return tool?.description ?? '';
  },
};

const readWord =
  "readFileSync(new URL('WORD', import.meta.url), 'utf8') + ' ' + process.env.SKILLED_SKILL_DIR";
const bundle = {
  'FLOW.md': flowText('x', 'x'),
  'src/index.mjs': `import { readFileSync } from 'node:fs';\nexport const action = () => ${readWord.replace('WORD', '../word')};\n`,
  'scripts/run.sh': 'printf "%s %s" "$(cat "$(dirname "$0")/../word")" "$SKILLED_SKILL_DIR"\n',
  'server.mjs': `#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const word = ${readWord.replace('WORD', 'word')};
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'box', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'say', description: word, inputSchema: { type: 'object' } }] }),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method]?.(params) ?? {} }));
});
`,
  word: 'good',
};

/** Changes to the bundle by another process after the check. */
const swaps: Readonly<Record<string, (files: Tree) => void>> = {
  'other bytes': (files) => {
    writeFileSync(files.at('skills/x/word'), 'evil');
  },
  'a link in place of the file': (files) => {
    symlinkSync(files.at('evil/x/word'), files.at('link'));
    renameSync(files.at('link'), files.at('skills/x/word'));
  },
  'a link in place of the folder around it': (files) => {
    if (existsSync(files.at('moved'))) return;
    renameSync(files.at('skills'), files.at('moved'));
    symlinkSync('evil', files.at('skills'));
  },
};

/** Returns sandboxes that call a function before they start, after all checks. */
function after(sandboxes: SandboxProvider, swap: () => void): SandboxProvider {
  return {
    contains: () => sandboxes.contains(),
    open(grant) {
      swap();
      return sandboxes.open(grant);
    },
  };
}

test(
  'files that are swapped while a function runs are not what it reads, in a new process and in one that is used again',
  { skip: withoutBubblewrap },
  async () => {
    using files = tree(
      Object.fromEntries(Object.entries(bundle).map(([path, text]) => [`skills/x/${path}`, text])),
    );
    files.write(
      'skills/x/src/index.mjs',
      "import { readFileSync } from 'node:fs';\nlet calls = 0;\nexport const action = async (_, { swap }) => (await swap(), readFileSync(new URL('../word', import.meta.url), 'utf8') + ++calls);\n",
    );
    const swap = async (): Promise<null> => (writeFileSync(files.at('skills/x/word'), 'evil'), null);
    const family = flowFamily({
      async execute(_definition, _input, { skill: { dir }, processes: { runCode } }) {
        writeFileSync(`${dir}/word`, 'good');
        const call = { name: 'action', input: null, functions: { swap }, facts: {} };
        const limits = { timeoutMs: 20_000, memoryBytes: 2 ** 28 };
        return done(textOf(await runCode({ ...call, ...limits, module: `${dir}/src/index.mjs` })));
      },
      permission: { describe: () => ({ runsOwnCode: true }) },
    });
    await using agent = new RecursiveSkilledAgent({ ...flowsIn(files.path, family), embeddings: false });
    for (const expected of ['good1', 'good2'])
      assert.equal((await agent.run({ skill: 'x' }).result).text, expected);
  },
);

test(
  'a command changes files of a skill unless it runs for that skill',
  { skip: withoutBubblewrap },
  async () => {
    using files = tree({ 'skills/x/FLOW.md': flowText('x', 'x'), 'skills/x/word': 'good' });
    const command = 'echo more >> skills/x/word; echo more >> "$SKILLED_SKILL_DIR/word"; cat skills/x/word';
    const family = flowFamily({
      execute: async (_definition, _input, { call }) => call('bash', { command }),
      permission: { describe: () => ({ runsOwnCode: true }) },
    });
    await using agent = new RecursiveSkilledAgent({ ...flowsIn(files.path, family), embeddings: false });
    const { text, runId } = await agent.run({ skill: 'x' }).result;
    assert.match(text, /^good\n\[stderr\](?:\n.*Read-only file system){2}$/);
    assert.equal(readFileSync(files.at('skills/x/word'), 'utf8'), 'good');
    const events = await agent.runs.events(runId);
    assert.ok(!JSON.stringify(events).includes('"ran"'), 'the frame of the skill says what ran');
    await agent.run({ skill: 'bash', input: { command: 'echo more >> skills/x/word' } }).result;
    assert.equal(readFileSync(files.at('skills/x/word'), 'utf8'), 'goodmore\n');
    const again = await agent.run({ skill: 'x' }).result;
    const ended = (await agent.runs.events(again.runId)).find((event) => event.type === 'frame.ended');
    const digest = agent.skills.digestNow(agent.skills.resolve('x'));
    assert.deepEqual(
      ended?.type === 'frame.ended' && ended.ran,
      [digest],
      'it was registered with other files',
    );
  },
);

const kinds: readonly (readonly [string, SandboxProvider, string | false])[] = [
  ['in a sandbox', createProcessSandboxes(), withoutBubblewrap],
  ['without a sandbox', createPlainSandboxes(), false],
];

for (const [where, sandboxes, skip] of kinds) {
  describe(`${where}, files that are swapped after they were checked are not what runs`, { skip }, () => {
    for (const [what, start] of Object.entries(starts)) {
      for (const [how, swap] of Object.entries(swaps)) {
        test(`${what}: ${how}`, async () => {
          const placed = ['skills', 'evil'].flatMap((root) =>
            Object.entries(bundle).map(([path, text]) => [`${root}/x/${path}`, text] as const),
          );
          using files = tree({ ...Object.fromEntries(placed), 'evil/x/word': 'evil' });
          for (const root of ['skills', 'evil']) chmodSync(files.at(root, 'x/server.mjs'), 0o755);
          const family = flowFamily({
            execute: async (_definition, _input, scope) => done(await start(scope)),
            permission: { describe: () => ({ runsOwnCode: true }) },
          });
          await using agent = new RecursiveSkilledAgent({
            ...flowsIn(files.path, family),
            embeddings: false,
            sandboxes: after(sandboxes, () => swap(files)),
          });
          const { text } = await agent.run({ skill: 'x' }).result;
          const [word, dir = ''] = text.split(' ');
          assert.equal(word, 'good', text);
          if (where === 'in a sandbox') assert.equal(dir, files.at('skills/x'));
          else assert.match(dir, /\/skilled-bundles-\w+\/[0-9a-f]{64}\/files$/);
        });
      }
    }
  });
}
