import type { Json, JsonObject } from './json.ts';
import type { Tier } from './model.ts';
import type { Output } from './output.ts';

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
