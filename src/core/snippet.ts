import type { Json } from './json.ts';

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
