import type { CodeCall, CodeContext, CodeResult, CodeRunner } from '../../src/core/code.ts';
import type { AgentError } from '../../src/core/error.ts';
import type { Json } from '../../src/core/json.ts';
import type { Grant, SandboxProvider } from '../../src/core/sandbox.ts';
import { createCodeRunner } from '../../src/sandboxes/code/runner.ts';
import { tree, type Tree } from './tree.ts';

const mebibyte = 2 ** 20;

/** Overrides for a single call. */
export interface StageCall extends Partial<CodeCall> {
  readonly grant?: Partial<Grant>;
  readonly startsProcesses?: boolean;
  readonly key?: string;
  readonly isCurrent?: () => boolean;
  readonly signal?: AbortSignal;
}

/** A folder with code, and a runner that calls that code. */
export interface CodeStage extends AsyncDisposable {
  readonly files: Tree;
  readonly runner: CodeRunner;
  run(input?: Json, more?: StageCall): Promise<CodeResult>;
  value(input?: Json, more?: StageCall): Promise<Json>;
  /** Returns the error of the call, or undefined if the call succeeds. */
  fault(input?: Json, more?: StageCall): Promise<AgentError | undefined>;
}

/** Creates a folder with `code` in `src/index.ts` and the files in `more`, and a runner for it. */
export function codeStage(
  sandboxes: SandboxProvider,
  code: string,
  more: Readonly<Record<string, string>> = {},
  maxCalls?: number,
): CodeStage {
  const files = tree({ 'src/index.ts': code, ...more });
  const runner = createCodeRunner(sandboxes, maxCalls);
  const run: CodeStage['run'] = (input = null, change = {}) => {
    const { grant, startsProcesses = false, key = 'one', isCurrent = () => true, signal, ...rest } = change;
    const call: CodeCall = {
      module: files.at('src/index.ts'),
      name: 'action',
      input,
      functions: {},
      facts: {},
      timeoutMs: 600_000,
      memoryBytes: 512 * mebibyte,
      ...rest,
    };
    const limits = { memoryBytes: call.memoryBytes };
    const nothing = { read: [files.path], write: [], hosts: [], environment: {}, limits };
    const target: CodeContext = { key, grant: { ...nothing, ...grant }, startsProcesses, isCurrent };
    return runner.run(target, call, signal ?? new AbortController().signal);
  };
  return {
    files,
    runner,
    run,
    value: async (input, change) => (await run(input, change)).value,
    fault: (input, change) =>
      run(input, change).then(
        () => undefined,
        (thrown: unknown) => thrown as AgentError,
      ),
    async [Symbol.asyncDispose]() {
      await runner.close();
      files[Symbol.dispose]();
    },
  };
}
