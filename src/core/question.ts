import type { JsonObject } from './json.ts';

/** What a person is asked. */
export interface Question {
  readonly text: string;
  /** Answers to choose from; another one may be given all the same. */
  readonly options?: readonly string[];
  /** JSON Schema of the answer; text unless given. */
  readonly schema?: JsonObject;
  /** Milliseconds since 1970 from which on no answer counts; it stays open unless given. */
  readonly expires?: number;
}
