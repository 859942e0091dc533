import type { JsonObject } from '../../core/json.ts';

/** What a SKILL.md says beyond its card; the body is rendered when the skill is used. */
export interface AgentSkillDefinition {
  readonly body: () => string;
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly enforceTools?: boolean;
  readonly model?: string;
  readonly effort?: string;
  readonly context?: 'fork' | 'inline';
  readonly agent?: string;
  readonly background?: boolean;
  readonly shell?: string;
  readonly maxTicks?: number;
  readonly hooks?: JsonObject;
  readonly allowDash?: boolean;
  readonly license?: string;
  readonly compatibility?: string;
}
