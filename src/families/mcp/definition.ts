import type { Given } from '../../core/descriptor/values.ts';
import type { ServerDescription } from '../../core/servers/tool-server.ts';

/** A server the skill connects to: one that settings know by name, or one described in the file. */
export type McpServer = { readonly kind: 'named'; readonly name: string } | ServerDescription;

/** What an mskill.md says beyond its card; an absent list is not the same as an empty one. */
export interface McpDefinition {
  readonly instructions?: string;
  /** As written, since servers tell tools apart by case. Absent: all. Empty: none. */
  readonly allowedTools?: readonly string[];
  /** A plan that needs no planner, and where it begins in the file. */
  readonly script?: Given;
  /** Absent: every server that settings name. Empty: none. */
  readonly servers?: readonly McpServer[];
  readonly help?: string;
}
