import type { OtherProgram } from '../../src/core/other-programs.ts';

/** A file or feature of another program that skilled does not read, with its replacement. */
export interface UnreadFile {
  readonly program: OtherProgram;
  /**
   * The globs of the files, relative to a project or, with `~/`, to the home folder. No skill root contains
   * these files.
   */
  readonly files?: readonly string[];
  /** The name of a feature that is not a file. */
  readonly what?: string;
  /** The Markdown text that describes what to use instead. */
  readonly instead: string;
}

const settings = 'The [settings](../configuration.md) hold servers, models and rules.';
const context =
  'A subagent with `inheritProjectContext: true` gets `AGENTS.md` of the workspace, or else `CLAUDE.md`.';
const commands = 'Write the prompt as a `SKILL.md`, or in `.claude/commands`.';
const subagents = 'Write the [subagent](../../src/families/subagent/README.md) in `.agents/agents`.';
const asSkill = 'Write the text as a skill; `paths` restricts it to matching files.';
const code = 'Define [skills in code](../../src/families/function/README.md), or use an MCP server.';

/**
 * The files and features that skilled does not read. No other list exists, because skilled never looks for
 * them.
 */
export const unreadFiles: readonly UnreadFile[] = [
  {
    program: 'Claude Code',
    files: ['.claude/settings.json', '.claude/settings.local.json', '~/.claude.json'],
    instead: settings,
  },
  { program: 'Claude Code', files: ['CLAUDE.md', '.claude/rules/*.md'], instead: context },
  {
    program: 'Claude Code',
    what: 'other events of hooks, and hooks of settings',
    instead:
      'The hooks of skills run, and those of a plugin for conversations that use its skills. Other events are reported as `hook.unused`.',
  },
  {
    program: 'Claude Code',
    what: '`${CLAUDE_EFFORT}`, `${CLAUDE_PLUGIN_DATA}`',
    instead: 'They stay in the text as written.',
  },
  { program: 'Codex', files: ['~/.codex/config.toml'], instead: settings },
  { program: 'Codex', files: ['AGENTS.md', '~/.codex/AGENTS.md'], instead: context },
  { program: 'Codex', files: ['~/.codex/prompts/*.md'], instead: commands },
  { program: 'Codex', files: ['.codex/agents/*.toml'], instead: subagents },
  {
    program: 'Codex',
    what: '`agents/openai.yaml` of a skill',
    instead: 'The frontmatter describes the skill. With `disable-model-invocation`, models cannot choose it.',
  },
  {
    program: 'OpenClaw',
    files: ['~/.openclaw/skills/*/SKILL.md'],
    instead: 'Name the folder with `--skills`, or in `additionalSkillRoots`.',
  },
  { program: 'OpenClaw', files: ['~/.openclaw/openclaw.json'], instead: settings },
  { program: 'OpenClaw', what: 'ClawHub, skills of nodes', instead: 'Copy the skills to `.agents/skills`.' },
  { program: 'pi', files: ['.pi/settings.json', '~/.pi/agent/settings.json'], instead: settings },
  { program: 'pi', files: ['.pi/prompts/*.md', '~/.pi/agent/prompts/*.md'], instead: commands },
  { program: 'pi', files: ['.pi/extensions/*.ts', '~/.pi/agent/extensions/*.ts'], instead: code },
  {
    program: 'pi',
    what: '`pi.skills` in `package.json`',
    instead: 'Write `skilled.skills`, and add the package to [`plugins`](../discovery.md#plugins).',
  },
  { program: 'Gemini CLI', files: ['.gemini/settings.json', '~/.gemini/settings.json'], instead: settings },
  { program: 'Gemini CLI', files: ['GEMINI.md', '~/.gemini/GEMINI.md'], instead: context },
  { program: 'Gemini CLI', files: ['.gemini/commands/*.toml'], instead: commands },
  {
    program: 'Gemini CLI',
    files: ['~/.gemini/extensions/*/skills/*/SKILL.md'],
    instead: 'Name the `skills` folder of the extension with `--skills`.',
  },
  {
    program: 'AchillesAgentLib',
    what: 'the sections `Allowed Agents` and `Fallback`',
    instead: 'They are reported as unknown sections.',
  },
  {
    program: 'AchillesAgentLib',
    what: 'routers and remote agents',
    instead: 'Use [subagents](../../src/families/subagent/README.md).',
  },
  {
    program: 'Agentick',
    what: 'skill stores and hydrators',
    instead: 'Pass the text to `parseSkill`, and register the skill in code.',
  },
  { program: 'Cursor', files: ['.cursor/rules/*.mdc', '.cursorrules'], instead: asSkill },
  { program: 'Cursor', files: ['.cursor/commands/*.md'], instead: commands },
  { program: 'Cursor', files: ['.cursor/agents/*.md'], instead: subagents },
  { program: 'Cursor', files: ['.cursor/mcp.json'], instead: settings },
  {
    program: 'GitHub Copilot',
    files: ['.github/copilot-instructions.md', '.github/instructions/*.instructions.md'],
    instead: asSkill,
  },
  { program: 'GitHub Copilot', files: ['.github/prompts/*.prompt.md'], instead: commands },
  { program: 'GitHub Copilot', files: ['.github/agents/*.agent.md'], instead: subagents },
  { program: 'opencode', files: ['opencode.json', '.opencode/opencode.json'], instead: settings },
  { program: 'opencode', files: ['.opencode/command/*.md'], instead: commands },
  { program: 'opencode', files: ['.opencode/agent/*.md'], instead: subagents },
  { program: 'opencode', files: ['.opencode/plugin/*.ts'], instead: code },
];
