import type { Json, JsonObject } from './json.ts';
import type { Tier } from './model.ts';
import type { Output } from './run.ts';
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

/** How a question to a model differs from an ordinary one. */
export interface CodeModelOptions {
  /** `execution` unless said. */
  readonly tier?: Tier;
  /** JSON Schema of the answer; a text is given unless said. */
  readonly schema?: JsonObject;
  readonly system?: string;
}

/** All that the code of a skill gets beside its input: `action(input, scope)`. It runs in a process of its own, and everything here goes through the run that called it. */
export interface CodeScope {
  /** The name of the skill. */
  readonly skill: string;
  readonly runId: string;
  readonly session: string;
  /** Aborted when the call has to stop. */
  readonly signal: AbortSignal;
  /** Calls another skill; its failure is data. */
  call(name: string, input?: Json): Promise<Output>;
  /** Asks a model: gives its text, or the value where a schema is given. Rejects where there is no such answer. */
  model(prompt: string, options?: CodeModelOptions): Promise<Json>;
  /** A line for whoever watches. */
  note(message: string, data?: Json): void;
}

/** A piece of JavaScript that somebody else wrote, a model as a rule. */
export interface Snippet {
  /** The body of an async function of `input`; what it returns is its value. */
  readonly code: string;
  readonly input: Json;
  /** Functions of the host that it may call by name, and nothing else of the host. */
  readonly functions?: Readonly<Record<string, (...given: Json[]) => Json | Promise<Json>>>;
  /** Milliseconds that it may work; those in which it waits for a function do not count. Default 10,000. */
  readonly timeoutMs?: number;
  /** Default 64 MiB, at least 8. */
  readonly memoryBytes?: number;
  /** Characters of its value as JSON, and of what it logs. Default 1,000,000. */
  readonly mostOutput?: number;
}

/** What a snippet came to. */
export interface SnippetResult {
  readonly value: Json;
  /** It returned nothing: its value is null then. */
  readonly isEmpty?: true;
  /** What it wrote to its console. */
  readonly log: string;
}

/** Runs snippets where they find nothing of the host; what goes wrong in one is thrown as `skill.failed` or `limit.*`. */
export interface SnippetRunner {
  run(snippet: Snippet, signal: AbortSignal): Promise<SnippetResult>;
  close(): Promise<void>;
}
