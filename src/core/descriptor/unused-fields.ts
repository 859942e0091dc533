import { normaliseKey } from '../names.ts';
import type { OtherProgram } from '../other-programs.ts';

/** A field of another program that is read and kept, but has no effect. */
export interface UnusedField {
  /** The program that defines the field. */
  readonly program: OtherProgram;
  /** Whether the field belongs to skill files or agent files. */
  readonly kind: 'skill' | 'agent';
  /** The field's name. A dot separates it from the map that contains it. */
  readonly field: string;
  /** A sentence that says why the field has no effect. */
  readonly why: string;
}

const bounds = 'Permission rules and the policy decide which calls need approval.';
const noNotes = 'A subagent keeps no notes between its calls.';
const noExtensions = 'Programs add tools through MCP servers or in code.';
const shown = 'It only affects how another program displays it.';

const fields: Readonly<
  Record<string, readonly [UnusedField['program'], UnusedField['kind'], Readonly<Record<string, string>>]>
> = {
  openClaw: [
    'OpenClaw',
    'skill',
    {
      'command-dispatch': 'A slash command always runs the skill; it never calls a tool directly.',
      'command-tool': 'It has an effect only with command-dispatch.',
      'command-arg-mode':
        'It has an effect only with command-dispatch. Arguments are always passed as given.',
      homepage: 'The address is only for people to read.',
      'metadata.openclaw.emoji': shown,
      'metadata.openclaw.homepage': 'The address is only for people to read.',
      'metadata.openclaw.install':
        'Skills cannot install programs. skilled reports missing programs, and you install them.',
    },
  ],
  claudeAgents: [
    'Claude Code',
    'agent',
    {
      color: shown,
      effort: 'The field thinking sets the reasoning effort.',
      permissionMode: bounds,
      mcpServers: 'Servers are configured in the settings, so that no file opens one by itself.',
      hooks: 'A subagent has no hooks; a skill can have some.',
      maxTurns: 'The caller and the limits of the run bound the number of model steps.',
      background: 'The caller decides whether it waits.',
      isolation: 'All subagents work in the workspace of the run.',
      memory: noNotes,
    },
  ],
  piSubagents: [
    'pi-subagents',
    'agent',
    {
      advertise: 'Callers are offered every subagent that they may call.',
      allowNestedSubagents: 'maxSubagentDepth and the tool list determine this.',
      fast: 'Speed depends on the settings and the model.',
      inheritGlobalContext: 'Only the project has context files.',
      extensions: noExtensions,
      subagentOnlyExtensions: noExtensions,
      outputMode: 'The caller always gets the answer, even if output writes it to a file.',
      defaultReads: 'The subagent reads the files that it needs with its tools.',
      defaultProgress: 'Progress is in the log of the run.',
      async: 'The caller decides whether it waits.',
      toolTimeoutMs: 'Tools have their own limits, and timeoutMs bounds the call.',
      toolBudget: 'The limits of the run bound the number of calls.',
      acceptance: 'An output schema checks the answer.',
      acceptanceRole: 'An output schema checks the answer.',
      completionGuard: 'An output schema checks the answer.',
      mutationTools: bounds,
      permission: bounds,
      permissions: bounds,
      memory: noNotes,
      runner: "Subagents run in the agent's process.",
      interactive: 'A subagent can ask if it has the tool ask-user.',
    },
  ],
};

/**
 * All fields of other programs that are read but have no effect. Part of the documentation is generated from
 * this list.
 */
export const unusedFields: readonly UnusedField[] = Object.values(fields).flatMap(([program, kind, whys]) =>
  Object.entries(whys).map(([field, why]) => ({ program, kind, field, why })),
);

/** Finds the entry for a frontmatter key, in any spelling. Returns undefined if there is none. */
export function findUnusedField(kind: UnusedField['kind'], key: string): UnusedField | undefined {
  return unusedFields.find((one) => one.kind === kind && normaliseKey(one.field) === normaliseKey(key));
}
