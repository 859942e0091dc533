import type { Family } from '../core/index.ts';
import { agentSkill } from './agent-skill/index.ts';
import { codeSkill } from './code-skill/index.ts';
import { dynamicCode } from './dynamic-code/index.ts';
import { functionFamily } from './function/index.ts';
import { mcp } from './mcp/index.ts';
import { orchestrator } from './orchestrator/index.ts';
import { subagent } from './subagent/index.ts';
import { table } from './table/index.ts';

/**
 * The built-in families, in order of precedence. If skills of several families share a name, the skill of the
 * first of these families gets the unqualified name.
 */
export const builtinFamilies: readonly Family[] = [
  agentSkill,
  dynamicCode,
  codeSkill,
  mcp,
  orchestrator,
  table,
  subagent,
  functionFamily,
];
