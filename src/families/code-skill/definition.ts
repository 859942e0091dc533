import type { ErrorData } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';

/** What a cskill.md says; the code lies beside it in the bundle. */
export interface CodeSkillDefinition {
  /** As it is called, for messages that name commands. */
  readonly name: string;
  /** The whole text, of which the card has the beginning. */
  readonly description: string;
  /** JSON Schema; absent where any input is taken. */
  readonly input?: JsonObject;
  /** JSON Schema; absent where any result is taken. */
  readonly output?: JsonObject;
  readonly inputFormat?: string;
  readonly outputFormat?: string;
  readonly constraints?: string;
  readonly examples?: string;
  readonly help?: string;
  /** Seconds that a call may work. */
  readonly timeout?: number;
  /** MiB of memory that a call may use. */
  readonly memory?: number;
}

/** A code skill whose code was made as far as that went. */
export interface PreparedCodeSkill extends CodeSkillDefinition {
  /** Why its code is not what its specs say. */
  readonly failure?: ErrorData;
  /** Files that were changed by hand since they were made. */
  readonly drifted?: readonly string[];
}
