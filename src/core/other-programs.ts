/**
 * The other programs whose files are read. The tables of their folders, fields, tools and variables name them,
 * and docs/reference/ecosystems.md has their names in this order.
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

/** The name of another program whose files are read. */
export type OtherProgram = (typeof otherPrograms)[number];
