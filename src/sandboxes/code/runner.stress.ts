// Runs alone: measures memory.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readlinkSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { codeStage } from '../../../test/support/code-stage.ts';
import { eventually } from '../../../test/support/deadline.ts';
import { tree } from '../../../test/support/tree.ts';
import { openLoops } from '../../../test/stress/stress.ts';
import { createPlainSandboxes } from '../plain-provider.ts';
import { createProcessSandboxes } from '../bubblewrap-provider.ts';
import { sourceUrl } from '../../../test/support/source-file.ts';

const { createLoop } = openLoops(import.meta);

const kinds = {
  ...(withoutBubblewrap === false ? { contained: createProcessSandboxes() } : {}),
  plain: createPlainSandboxes(),
};

/** Returns the processes of one runner, which have a variable with this value. */
function bearers(mark: string): readonly string[] {
  return readdirSync('/proc').filter((id) => {
    try {
      return /^\d+$/.test(id) && readFileSync(`/proc/${id}/environ`, 'utf8').includes(`MARK=${mark}`);
    } catch {
      return false; // the process is gone, or belongs to another user
    }
  });
}

function assertNobody(mark: string): void {
  assert.deepEqual(bearers(mark), []);
}

/** Returns the number of open handles, without those of a memory check that is in progress. */
function openHandles(): number {
  return readdirSync('/proc/self/fd').filter(
    (id) => !/^\/proc\/\d+\/maps$/.test(linkAt(`/proc/self/fd/${id}`)),
  ).length;
}

function linkAt(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // The handle that listed the folder is closed.
  }
}

for (const [kind, provider] of Object.entries(kinds)) {
  const calls = createLoop({ small: 1000, full: 10_000 });
  test(`sequential and concurrent calls in ${kind} processes leak nothing`, async () => {
    const mark = randomUUID();
    const more = { grant: { environment: { MARK: mark } }, functions: { ask: async () => 1 } };
    const at = codeStage(
      provider,
      'export const action = async (n: number, { ask }: any) => n + (n % 3 === 0 ? await ask() : 1);',
    );
    const heap: number[] = [];
    const handles: number[] = [];
    await calls.rounds(async ({ number: index }) => {
      assert.equal(await at.value(index, more), index + 1);
      if (index % 200 === 199) {
        heap.push(process.memoryUsage().heapUsed);
        handles.push(openHandles());
      }
    });
    const one = bearers(mark).length;
    assert.ok(one >= 1 && one <= 4, `${one} processes`);
    assert.ok(new Set(handles).size <= 1, `handles ${handles.join()}`);
    assert.ok(Math.max(...heap) - (heap[0] ?? 0) < 64 * 2 ** 20, `heap ${heap.join()}`);

    const many = Array.from({ length: 100 }, (_, index) => at.value(index, more));
    assert.deepEqual(
      await Promise.all(many),
      many.map((_, index) => index + 1),
    );
    await at[Symbol.asyncDispose]();
    assertNobody(mark);
  });
}

// A process that calls code, and then waits or exits without closing its runner.
const host = (mark: string, folder: string, kind: keyof typeof kinds, rest: string): string => `
  import { createCodeRunner } from ${JSON.stringify(sourceUrl('src/sandboxes/code/runner.ts'))};
  import { createPlainSandboxes } from ${JSON.stringify(sourceUrl('src/sandboxes/plain-provider.ts'))};
  import { createProcessSandboxes } from ${JSON.stringify(sourceUrl('src/sandboxes/bubblewrap-provider.ts'))};
  const runner = createCodeRunner(${kind === 'plain' ? 'createPlainSandboxes' : 'createProcessSandboxes'}());
  const grant = { read: [${JSON.stringify(folder)}], write: [], hosts: [], environment: { MARK: '${mark}' } };
  const place = { key: 'a', grant, startsProcesses: false, isCurrent: () => true };
  const call = (input) => runner.run(place, { module: ${JSON.stringify(`${folder}/index.mjs`)}, name: 'action', input,
    functions: { begun: async () => process.stdout.write('begun') }, facts: {}, timeoutMs: 60000, memoryBytes: 2 ** 29 },
    new AbortController().signal);
  ${rest}
`;

const code =
  'export const action = async (loops, { begun }) => { await begun(); if (loops) for (;;); return 1; };';

for (const kind of Object.keys(kinds) as (keyof typeof kinds)[]) {
  test(`idle ${kind} processes do not keep their host alive, and end with it`, async () => {
    using files = tree({ 'index.mjs': code });
    const mark = randomUUID();
    const args = ['--input-type=module', '--eval', host(mark, files.path, kind, 'await call(false);')];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    assert.deepEqual(await once(child, 'exit'), [0, null]);
    await eventually(() => assertNobody(mark)); // the kernel ends them
  });
}

const kills = createLoop({ small: 3, full: 50 });
test('no process is left when its host is killed', { skip: withoutBubblewrap }, async () => {
  using files = tree({ 'index.mjs': code });
  await kills.rounds(async ({ number: round }) => {
    const mark = randomUUID();
    const rest = 'for (let n = 0; n < 3; n += 1) await call(false); void call(true).catch(() => undefined);';
    const args = ['--input-type=module', '--eval', host(mark, files.path, 'contained', rest)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.on('data', (bytes: Buffer) => (said += String(bytes)));
    const enough = 'begun'.repeat(1 + (round % 4));
    while (!said.includes(enough)) await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    await eventually(() => assertNobody(mark)); // the kernel ends them
  });
});
