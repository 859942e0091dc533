import type { Json, JsonObject } from './json.ts';
import type { Tier } from './model.ts';
import type { Output } from './run.ts';
import type { Grant } from './sandbox.ts';

/** A host function that sandboxed code can call. Receives the arguments as an array and returns JSON. */
export type HostFunction = (given: readonly Json[]) => Promise<Json>;

/** A call to a function in a skill's module. The function runs in isolation. */
export interface CodeCall {
  /** The absolute path of the module, inside the skill's folder. */
  readonly module: string;
  /**
   * The name of the exported function, which is called with `input` and a scope that contains the host
   * functions.
   */
  readonly name: string;
  readonly input: Json;
  /** The only host functions that the code can call, by name. */
  readonly functions: Readonly<Record<string, HostFunction>>;
  /** Other properties of the scope, such as the run's id. */
  readonly facts: Readonly<Record<string, Json>>;
  /** The time limit in milliseconds. Time spent waiting for host functions does not count. */
  readonly timeoutMs: number;
  readonly memoryBytes: number;
}

/** The result of a call to a skill's function. */
export interface CodeResult {
  /** The return value, or null if the function returned nothing. */
  readonly value: Json;
  /** The output written during the call, limited to the last 100,000 characters of each stream. */
  readonly stdout: string;
  readonly stderr: string;
}

/** The environment in which a skill's code is called. */
export interface CodeContext {
  /**
   * A key that identifies the version of the files, the grant and the user. Calls with the same key can share
   * a process.
   */
  readonly key: string;
  readonly grant: Grant;
  /** Whether the code may start processes and threads. */
  readonly startsProcesses: boolean;
  /**
   * Whether the skill's files still have the version that `key` identifies. Checked after the files are
   * loaded.
   */
  isCurrent(): boolean;
}

/**
 * Calls skills' functions in reusable processes. Throws `skill.failed`, naming the file, if the function
 * fails; `skill.invalid` if the module lacks the function or cannot be loaded; `skill.changed` if the files
 * changed during loading; `limit.time` or `limit.too-large`; or the signal's reason.
 */
export interface CodeRunner {
  run(context: CodeContext, call: CodeCall, signal: AbortSignal): Promise<CodeResult>;
  /** Ends all processes. */
  close(): Promise<void>;
}

/** Options for a model request. */
export interface CodeModelOptions {
  /** The model tier. Default: `execution`. */
  readonly tier?: Tier;
  /** The JSON Schema of the response. Default: the response is text. */
  readonly schema?: JsonObject;
  readonly system?: string;
}

/**
 * The second argument of a skill's function, as in `action(input, scope)`. The code runs in a separate
 * process and communicates only with the run that called it.
 */
export interface CodeScope {
  readonly skill: string;
  readonly runId: string;
  readonly session: string;
  /** A signal that aborts when the call must stop. */
  readonly signal: AbortSignal;
  /** Calls another skill. If the skill fails, returns the failure as data instead of rejecting. */
  call(name: string, input?: Json): Promise<Output>;
  /**
   * Sends a prompt to a model. Returns the text, or the parsed value if `schema` is set. Rejects if the model
   * returns neither.
   */
  model(prompt: string, options?: CodeModelOptions): Promise<Json>;
  /** Records a progress message for observers of the run. */
  note(message: string, data?: Json): void;
}

/** A snippet of untrusted JavaScript, usually written by a model. */
export interface Snippet {
  /** The body of an async function with the parameter `input`. Its return value is the result. */
  readonly code: string;
  readonly input: Json;
  /** The only host functions that the snippet can call, by name. */
  readonly functions?: Readonly<Record<string, (...given: Json[]) => Json | Promise<Json>>>;
  /**
   * The time limit in milliseconds. Time spent waiting for host functions does not count. Default: 10,000.
   */
  readonly timeoutMs?: number;
  /** The memory limit in bytes. Default: 64 MiB; minimum: 8 MiB. */
  readonly memoryBytes?: number;
  /** The maximum size of the value (as JSON) and of the log, in characters each. Default: 1,000,000. */
  readonly maxOutput?: number;
  /** @deprecated Use `maxOutput`. */
  readonly mostOutput?: number;
}

/** The result of a snippet. */
export interface SnippetResult {
  readonly value: Json;
  /** Set if the snippet returned nothing. `value` is then null. */
  readonly isEmpty?: true;
  /** The snippet's console output. */
  readonly log: string;
}

/**
 * Runs snippets without access to the host, except through their `functions`. A snippet's failure is thrown
 * as `skill.failed` or `limit.*`.
 */
export interface SnippetRunner {
  run(snippet: Snippet, signal: AbortSignal): Promise<SnippetResult>;
  close(): Promise<void>;
}

/** Environment variables and stdin that a call passes to its processes. */
export interface ProcessInput {
  /** Environment variables whose names begin with `SKILLED_`. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}
