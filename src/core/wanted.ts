import type { Json, JsonObject } from './json.ts';

/** A way into a skill beside its ordinary work: to load its text into a conversation, to run what it hooks into one, or to make what it is made of. */
export type Entrance = 'load' | 'hook' | 'build';

/** What a caller wants of a call beside what the input says; it goes before what the skill says itself. */
export interface Wanted {
  /** JSON Schema of the value that it must come to. */
  readonly result?: JsonObject;
  /** Takes a value that fits the schema, or throws what is wrong with it; not kept with the run. */
  readonly check?: (value: Json) => Json | Promise<Json>;
  /** Model steps at most. */
  readonly maxTicks?: number;
  /** A role, tier or model. */
  readonly model?: string;
  readonly effort?: string;
}
