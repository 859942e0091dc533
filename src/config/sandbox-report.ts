import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Ports } from '../agent/options.ts';
import {
  AgentError,
  toErrorData,
  type CodeCall,
  type CodePlace,
  type ErrorData,
  type SandboxMode,
} from '../core/index.ts';
import type { Containment } from '../sandboxes/sandbox-support.ts';
import { baseEnvironment } from '../skills/eligibility/environment.ts';
import { defaultPorts } from './defaults.ts';

export type { Containment } from '../sandboxes/sandbox-support.ts';

/** What keeps the processes of skills contained on this machine; found out by running one, once. Never throws. */
export async function reportContainment(): Promise<Containment> {
  return (await import('../sandboxes/sandbox-support.ts')).findContainment();
}

/** What became of the code of a skill that was run to see whether any runs here. */
export interface CodeReport {
  /** Whether a sandbox was around it; absent when it did not run. */
  readonly isSandboxed?: boolean;
  readonly fault?: ErrorData;
}

/** What became of a snippet that was run to see whether any runs here. */
export interface SnippetReport {
  readonly fault?: ErrorData;
}

const never = new AbortController().signal;
const memoryBytes = 512 * 2 ** 20; // as skills have it unless they say otherwise

/** Runs the code of a small skill in a temporary folder as that of any skill is run: same worker, same kind of sandbox. Never throws. */
export async function reportCode(mode: SandboxMode, ports: Ports = defaultPorts()): Promise<CodeReport> {
  let folder: string | undefined;
  try {
    const sandboxes = ports.openSandboxes(mode);
    const isSandboxed = await sandboxes.contains();
    folder = mkdtempSync(join(tmpdir(), 'skilled-doctor-'));
    const runner = await ports.openCode(sandboxes);
    try {
      const { value } = await runner.run(placeIn(folder, ports), writeCode(folder), never);
      mustBe(value);
      return { isSandboxed };
    } finally {
      await runner.close();
    }
  } catch (thrown) {
    return { fault: toErrorData(thrown) };
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a small snippet as any is run. Never throws. */
export async function reportSnippets({ openSnippets }: Ports = defaultPorts()): Promise<SnippetReport> {
  try {
    const runner = await openSnippets();
    try {
      const functions = { double: (number: unknown) => 2 * Number(number) };
      const { value } = await runner.run({ code: 'return await double(input)', input: 21, functions }, never);
      mustBe(value);
      return {};
    } finally {
      await runner.close();
    }
  } catch (thrown) {
    return { fault: toErrorData(thrown) };
  }
}

function placeIn(folder: string, { environment }: Ports): CodePlace {
  return {
    key: folder,
    grant: {
      read: [folder],
      write: [],
      hosts: [],
      limits: { memoryBytes },
      environment: baseEnvironment(environment),
    },
    startsProcesses: false,
    isCurrent: () => true,
  };
}

function writeCode(folder: string): CodeCall {
  const module = join(folder, 'src', 'index.mjs');
  mkdirSync(dirname(module));
  writeFileSync(module, 'export const action = (input, { double }) => double(input);\n');
  return {
    module,
    name: 'action',
    input: 21,
    facts: {},
    functions: { double: ([number]) => Promise.resolve(2 * Number(number)) },
    timeoutMs: 10_000,
    memoryBytes,
  };
}

function mustBe(value: unknown): void {
  if (value !== 42) throw new AgentError('internal.bug', `It returned ${JSON.stringify(value)} and not 42.`);
}
