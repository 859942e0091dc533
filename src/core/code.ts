import type { Json } from './json.ts';
import type { Grant } from './sandbox.ts';

/** What code may ask of its host: it is given all that the code called it with, as `call(name, input)` gives two, and gives JSON. */
export type HostFunction = (given: readonly Json[]) => Promise<Json>;

/** A function in a module of a skill, to be called where it can do no harm. */
export interface CodeCall {
  /** The absolute path of the module, in the folder of the skill. */
  readonly module: string;
  /** The exported function; it is given `input` and a scope of the host functions. */
  readonly name: string;
  readonly input: Json;
  /** What it may ask of the host, by name, and nothing else. */
  readonly functions: Readonly<Record<string, HostFunction>>;
  /** What it finds in its scope beside them, such as the id of the run. */
  readonly facts: Readonly<Record<string, Json>>;
  /** Milliseconds that it may work; those in which it waits for a host function do not count. */
  readonly timeoutMs: number;
  readonly memoryBytes: number;
}

/** What a function came to. */
export interface CodeResult {
  /** Null where it returned nothing. */
  readonly value: Json;
  /** What it wrote to its stdout and stderr while it was called, the last 100,000 characters of each. */
  readonly stdout: string;
  readonly stderr: string;
}

/** Where the code of a skill is called. */
export interface CodePlace {
  /** Calls with the same key may use one process after another: version of the files, grant and user. */
  readonly key: string;
  readonly grant: Grant;
  /** Whether it may start processes and threads of its own. */
  readonly startsProcesses: boolean;
  /** Whether the files are still those that the key stands for; asked once they have been loaded. */
  isCurrent(): boolean;
}

/**
 * Calls functions of skills in processes that are kept for the next call. What goes wrong in one is thrown: `skill.failed`
 * with the file, `skill.invalid` for a module that has no such function or cannot be loaded, `skill.changed` for one
 * whose files changed while they were loaded, `limit.time`, `limit.too-large`, or the reason of the signal.
 */
export interface CodeRunner {
  run(place: CodePlace, call: CodeCall, signal: AbortSignal): Promise<CodeResult>;
  /** Ends all processes. */
  close(): Promise<void>;
}
