import type { Json, JsonObject } from '../../core/json.ts';
import type { Hook } from './hooks.ts';

/** What a SKILL.md says beyond its card; the body is rendered when the skill is used. */
export interface AgentSkillDefinition {
  /** As declared, else the name of its folder or file. */
  readonly name: string;
  readonly body: () => string;
  /** One-based, in the file. */
  readonly bodyLine: number;
  /** The folder around it is its own; false for a single file among others and for one made in code. */
  readonly hasFolder: boolean;
  readonly argumentNames?: readonly string[];
  /** JSON Schema of the input. */
  readonly input?: () => JsonObject | undefined;
  /** The input as the schema of a skill made in code takes it; throws `usage.bad-input`. */
  readonly fit?: (input: Json) => unknown;
  readonly model?: string;
  readonly effort?: string;
  readonly agent?: string;
  /** The shell that its commands ask for; whichever there is unless said. */
  readonly shell?: Shell;
  readonly maxTicks?: number;
  readonly hooks?: readonly Hook[];
  /** Arguments that begin with a dash may stand bare in commands. */
  readonly allowDash?: boolean;
}

/** Shells that a file can name; `powershell` runs nowhere here. */
export type Shell = 'bash' | 'sh' | 'powershell';
