import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Grant, Sandbox } from '../src/core/sandbox.ts';
import { digestFolder } from '../src/files/digest.ts';
import { createCodeRunner } from '../src/sandboxes/code/runner.ts';
import { buildArguments, fixedArguments } from '../src/sandboxes/bubblewrap/command-line.ts';
import { findSandboxSupport } from '../src/sandboxes/sandbox-support.ts';
import { holdGranted } from '../src/sandboxes/bubblewrap/grant-mounts.ts';
import { createIsolates } from '../src/sandboxes/isolate/runner.ts';
import { privateFiles } from '../src/sandboxes/bubblewrap/private-files.ts';
import { createProcessSandboxes } from '../src/sandboxes/bubblewrap-provider.ts';
import { createBundleCopies } from '../src/skills/digest/bundle-copies.ts';
import { alternate, ratioRow, timingOf, type Row, type Timing } from './measure.ts';

const rounds = 60;
const warmRuns = 300;
const codeRuns = 5000;
const coldRuns = 5;
const never = new AbortController().signal;
const command = { program: 'bash', arguments: ['-c', 'true'] };

/**
 * E3: compares a sandboxed command with bubblewrap alone and the same arguments. Also measures a skill
 * function in a process and a snippet in an isolate.
 */
export async function sandboxes(folder: string): Promise<readonly Row[]> {
  return [...(await processes(folder)), ...copies(folder), ...(await code(folder)), ...(await snippets())];
}

async function processes(scratch: string): Promise<readonly Row[]> {
  const sandboxSupport = await findSandboxSupport();
  if (sandboxSupport.kind === 'none') {
    return [{ id: 'E3', what: 'a command in a sandbox', figure: `not measured: ${sandboxSupport.reason}` }];
  }
  const environment = { PATH: '/usr/local/bin:/usr/bin:/bin' };
  const grantOf = (write: string): Grant => ({ read: [], write: [write], hosts: [], environment });
  const small = workspaceOf(join(scratch, 'small'), 1);
  const grant = grantOf(small);
  const provider = createProcessSandboxes();
  const open = {
    ours: await provider.open(grant),
    online: await provider.open({ ...grant, hosts: ['example.org'] }),
    inRepository: await provider.open(grantOf(repositoryAt(join(scratch, 'repository')))),
    large: await provider.open(grantOf(workspaceOf(join(scratch, 'large'), 5000))),
  };
  const things = {
    bare: () => runBare(sandboxSupport.path, grant, small),
    ours: () => runIn(open.ours),
    online: () => runIn(open.online),
    inRepository: () => runIn(open.inRepository),
    large: () => runIn(open.large),
  };
  await alternate(3, things); // fills the caches
  const { bare, ours, online, inRepository, large } = await alternate(rounds, things);
  await Promise.all(Object.values(open).map((sandbox) => sandbox.close()));
  const more = (what: string, timing: Timing): Row => ({ id: 'E3', what, figure: milliseconds(timing) });
  return [
    ratioRow('E3', 'bash in a sandbox, against bubblewrap alone with the same arguments', ours, bare, 1.3),
    more('the same in a git repository, with a private copy of its git folder', inRepository),
    more('the same in a workspace of 5,000 folders, looked at before and after', large),
    more('the same with a host granted, which starts a Node inside', online),
  ];
}

function workspaceOf(path: string, folders: number): string {
  for (let index = 0; index < folders; index++) {
    const folder = join(path, `group-${index % 50}`, `folder-${index}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'notes.txt'), 'x');
  }
  return path;
}

function repositoryAt(path: string): string {
  workspaceOf(path, 5);
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
  ])
    execFileSync('git', args, { cwd: path });
  return path;
}

/** E3: measures the time for checking and copying a bundle of 20 files, and for finding the copy again. */
function copies(scratch: string): readonly Row[] {
  const bundle = join(scratch, 'bundle');
  mkdirSync(bundle, { recursive: true });
  for (let index = 1; index < 20; index++)
    writeFileSync(join(bundle, `file-${index}.js`), '// code\n'.repeat(600));
  const skill = { name: 'bundle', dir: bundle, file: join(bundle, 'SKILL.md'), loose: false } as const;
  writeFileSync(skill.file, '---\nname: bundle\ndescription: A bundle.\n---\n');
  const digest = digestFolder(bundle);
  const [copied, found]: [number[], number[]] = [[], []];
  for (let round = 0; round < 20; round++) {
    const bundles = createBundleCopies({ folder: join(scratch, `copies-${round}`), days: 30 });
    for (const times of [copied, found, found]) {
      const start = performance.now();
      bundles.open(skill, digest);
      times.push(performance.now() - start);
    }
  }
  return [
    {
      id: 'E3',
      what: 'a bundle of 20 files, 96 KB, checked and copied',
      figure: milliseconds(timingOf(copied)),
    },
    {
      id: 'E3',
      what: 'its copy, found and checked again',
      figure: `${timingOf(found).median.toFixed(2)} ms`,
    },
  ];
}

async function runIn(sandbox: Sandbox): Promise<void> {
  const { exitCode, stderr } = await sandbox.run(command, never);
  if (exitCode !== 0) throw new Error(`the sandbox failed: ${stderr}`);
}

/** Runs bubblewrap with the same namespaces, mounts and files, but without supervision or limits. */
async function runBare(bubblewrap: string, grant: Grant, folder: string): Promise<void> {
  using granted = holdGranted(grant);
  const files = privateFiles();
  const handles = files.map(({ file }) => file.open());
  const first = 3;
  const args = [
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
  const child = spawn(bubblewrap, args, {
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
  const sandboxSupport = await findSandboxSupport();
  if (sandboxSupport.kind === 'none') return [];
  const bundle = join(folder, 'echo');
  const module = join(bundle, 'index.js');
  mkdirSync(bundle, { recursive: true });
  writeFileSync(module, 'export const action = (input) => input;\n');
  const grant: Grant = { read: [bundle], write: [], hosts: [], environment: {} };
  const target = { key: 'echo', grant, startsProcesses: false, isCurrent: () => true };
  const limits = { timeoutMs: 60_000, memoryBytes: 512 * 2 ** 20 };
  const [cold, warm]: [number[], number[]] = [[], []];
  for (let round = 0; round < coldRuns; round++) {
    const runner = createCodeRunner(createProcessSandboxes());
    const run = async (times: number[]): Promise<void> => {
      const start = performance.now();
      const call = { module, name: 'action', input: { round }, functions: {}, facts: {}, ...limits };
      await runner.run(target, call, never);
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
