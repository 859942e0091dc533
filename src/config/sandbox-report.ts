import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Ports } from '../agent/options.ts';
import {
  AgentError,
  toErrorData,
  type CodeCall,
  type CodeContext,
  type ErrorData,
  type SandboxMode,
} from '../core/index.ts';
import type { SandboxSupport } from '../sandboxes/sandbox-support.ts';
import { baseEnvironment } from '../skills/eligibility/environment.ts';
import { defaultPorts } from './defaults.ts';

export type { SandboxSupport } from '../sandboxes/sandbox-support.ts';

/** Tests this machine's sandbox support by starting a single process. Never throws. */
export async function reportSandboxSupport(): Promise<SandboxSupport> {
  return (await import('../sandboxes/sandbox-support.ts')).findSandboxSupport();
}

/** The result of a test run of skill code. */
export interface CodeReport {
  /** Whether the code ran in a sandbox. Absent if the code did not run. */
  readonly isSandboxed?: boolean;
  readonly fault?: ErrorData;
}

/** The result of a test run of a snippet. */
export interface SnippetReport {
  readonly fault?: ErrorData;
}

const never = new AbortController().signal;
const memoryBytes = 512 * 2 ** 20; // The default memory limit of a skill, in bytes.

/**
 * Runs a small skill in a temporary folder to test the code worker and the sandbox. Never throws.
 */
export async function reportCode(mode: SandboxMode, ports: Ports = defaultPorts()): Promise<CodeReport> {
  let folder: string | undefined;
  try {
    const sandboxes = ports.openSandboxes(mode);
    const isSandboxed = await sandboxes.contains();
    folder = mkdtempSync(join(tmpdir(), 'skilled-doctor-'));
    const runner = await ports.openCode(sandboxes);
    try {
      const { value } = await runner.run(createCodeContext(folder, ports), writeCode(folder), never);
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

/** Runs a small snippet to test the snippet runner. Never throws. */
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

function createCodeContext(folder: string, { environment }: Ports): CodeContext {
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
  if (value !== 42)
    throw new AgentError('internal.bug', `The test code returned ${JSON.stringify(value)} instead of 42.`);
}
