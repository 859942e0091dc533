/**
 * The other programs whose files skilled reads. The tables of their folders, fields, tools and variables use
 * these names, and docs/reference/ecosystems.md lists them in this order.
 */
export const otherPrograms = [
  'Claude Code',
  'Codex',
  'OpenClaw',
  'pi',
  'pi-subagents',
  'Gemini CLI',
  'AchillesAgentLib',
  'Agentick',
  'Cursor',
  'GitHub Copilot',
  'opencode',
] as const;

/** The name of another program whose files skilled reads. */
export type OtherProgram = (typeof otherPrograms)[number];
