import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { defineSkill } from '../../src/core/define-skill.ts';
import type { Json } from '../../src/core/json.ts';
import { leaveHome } from '../support/command.ts';
import { createStage, outsideText } from './stage.ts';

leaveHome();

// Puts a file and a link to outside in each other's place, as fast as it can; there is always one of them.
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

const turns = 100; // of five calls each

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
          // Each search is a thread of its own.
          if (turn % 8 === 0) await scope.call('grep', { pattern: '.', glob: 'in*', output_mode: 'content' });
        }
        return { status: 'done', text: '' };
      },
    }),
  );
  const state = new Int32Array(new SharedArrayBuffer(8)); // whether to stop, and how many swaps there were
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
