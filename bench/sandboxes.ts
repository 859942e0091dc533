import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Grant, Sandbox } from '../src/core/sandbox.ts';
import { createCodeRunner } from '../src/sandboxes/code-runner.ts';
import { buildArguments, fixedArguments } from '../src/sandboxes/contained-arguments.ts';
import { findContainment } from '../src/sandboxes/containment.ts';
import { holdGranted } from '../src/sandboxes/granted-folders.ts';
import { createIsolates } from '../src/sandboxes/isolate.ts';
import { privateFiles } from '../src/sandboxes/private-files.ts';
import { createProcessSandboxes } from '../src/sandboxes/process.ts';
import { alternate, ratioRow, timingOf, type Row, type Timing } from './measure.ts';

const rounds = 60;
const warmRuns = 300;
const codeRuns = 5000;
const coldRuns = 5;
const never = new AbortController().signal;
const command = { program: 'bash', arguments: ['-c', 'true'] };

/**
 * E3: a command in a sandbox against bare bubblewrap with the same arguments, a function of a skill in a process, and a
 * snippet in an isolate.
 */
export async function sandboxes(folder: string): Promise<readonly Row[]> {
  return [...(await processes(folder)), ...(await code(folder)), ...(await snippets())];
}

async function processes(folder: string): Promise<readonly Row[]> {
  const containment = await findContainment();
  if (containment.kind === 'none') {
    return [{ id: 'E3', what: 'a command in a sandbox', figure: `not measured: ${containment.reason}` }];
  }
  const environment = { PATH: '/usr/local/bin:/usr/bin:/bin' };
  const grant: Grant = { read: [], write: [folder], hosts: [], environment };
  const provider = createProcessSandboxes();
  const sandbox = await provider.open(grant);
  const online = await provider.open({ ...grant, hosts: ['example.org'] });
  const things = {
    bare: () => runBare(containment.path, grant, folder),
    ours: () => runIn(sandbox),
    online: () => runIn(online),
  };
  await alternate(3, things); // what is read and made once is there
  const { bare, ours, online: withHost } = await alternate(rounds, things);
  await Promise.all([sandbox.close(), online.close()]);
  return [
    ratioRow('E3', 'bash in a sandbox, against bubblewrap alone with the same arguments', ours, bare, 1.3),
    {
      id: 'E3',
      what: 'the same with a host granted, which starts a Node inside',
      figure: milliseconds(withHost),
    },
  ];
}

async function runIn(sandbox: Sandbox): Promise<void> {
  const { exitCode, stderr } = await sandbox.run(command, never);
  if (exitCode !== 0) throw new Error(`the sandbox failed: ${stderr}`);
}

/** The same namespaces, mounts and files, with nobody who watches, counts or limits. */
async function runBare(bubblewrap: string, grant: Grant, folder: string): Promise<void> {
  using granted = holdGranted(grant);
  const files = privateFiles();
  const handles = files.map(({ file }) => file.open());
  const first = 3;
  const words = [
    ...fixedArguments.slice(0, fixedArguments.indexOf('--args')),
    ...files.flatMap((file, index) => file.buildArguments(first + index)),
    ...buildArguments(
      { grant, network: undefined, temporary: undefined },
      granted,
      (index) => first + handles.length + index,
    ),
    ...['--chdir', folder, '--', command.program, ...command.arguments],
  ];
  const folders = granted.folders.map(({ handle }) => handle);
  const child = spawn(bubblewrap, words, {
    env: {},
    stdio: ['ignore', 'pipe', 'pipe', ...handles, ...folders],
  });
  const closed = once(child, 'close');
  for (const handle of handles) closeSync(handle);
  child.stdout?.resume();
  child.stderr?.resume();
  const [code] = (await closed) as [number | null];
  if (code !== 0) throw new Error(`bubblewrap alone failed with ${String(code)}`);
}

async function code(folder: string): Promise<readonly Row[]> {
  const containment = await findContainment();
  if (containment.kind === 'none') return [];
  const bundle = join(folder, 'echo');
  const module = join(bundle, 'index.js');
  mkdirSync(bundle, { recursive: true });
  writeFileSync(module, 'export const action = (input) => input;\n');
  const grant: Grant = { read: [bundle], write: [], hosts: [], environment: {} };
  const place = { key: 'echo', grant, startsProcesses: false, isCurrent: () => true };
  const limits = { timeoutMs: 60_000, memoryBytes: 512 * 2 ** 20 };
  const [cold, warm]: [number[], number[]] = [[], []];
  for (let round = 0; round < coldRuns; round++) {
    const runner = createCodeRunner(createProcessSandboxes());
    const run = async (times: number[]): Promise<void> => {
      const start = performance.now();
      const call = { module, name: 'action', input: { round }, functions: {}, facts: {}, ...limits };
      await runner.run(place, call, never);
      times.push(performance.now() - start);
    };
    await run(cold);
    for (let index = 0; index < codeRuns / coldRuns; index++) await run(warm);
    await runner.close();
  }
  const [first, next] = [timingOf(cold), timingOf(warm)];
  return [
    {
      id: 'E3',
      what: 'a function of a skill in a process that is there',
      figure: `${next.median.toFixed(2)} ms (min ${next.min.toFixed(2)})`,
      target: '≤ 1 ms',
      met: next.median <= 1,
    },
    { id: 'E3', what: 'the first call, which starts the process', figure: milliseconds(first) },
  ];
}

async function snippets(): Promise<readonly Row[]> {
  const cold: number[] = [];
  const warm: number[] = [];
  for (let round = 0; round < coldRuns; round++) {
    const isolates = createIsolates();
    const run = async (times: number[]): Promise<void> => {
      const start = performance.now();
      const { value } = await isolates.run({ code: 'return input + 1', input: round }, never);
      times.push(performance.now() - start);
      if (value !== round + 1) throw new Error(`the snippet gave ${JSON.stringify(value)}`);
    };
    await run(cold);
    for (let index = 0; index < warmRuns / coldRuns; index++) await run(warm);
    await isolates.close();
  }
  const [first, next] = [timingOf(cold), timingOf(warm)];
  return [
    {
      id: 'E3',
      what: 'a snippet in a process that is there, a new isolate each',
      figure: milliseconds(next),
      target: '≤ 10 ms',
      met: next.median <= 10,
    },
    { id: 'E3', what: 'the first snippet, which starts the process', figure: milliseconds(first) },
  ];
}

function milliseconds({ median, min }: Timing): string {
  return `${median.toFixed(1)} ms (min ${min.toFixed(1)})`;
}
