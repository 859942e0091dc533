import type { OtherProgram } from '../other-programs.ts';

/** A tool of another program, and the tools that replace it here. */
export interface ForeignTool {
  /** The name as skills write it. Lookups ignore case, hyphens and underscores. */
  readonly name: string;
  readonly programs: readonly OtherProgram[];
  /**
   * The permission labels of the built-in skills that do the same work. `Skill` stands for calls to other
   * skills. Empty if no built-in skill does the work.
   */
  readonly tools: readonly string[];
  /** Whether the text in the brackets is the beginning of a command rather than the whole command. */
  readonly takesPrefix?: true;
  /** The missing capability, as the end of a sentence. Set if and only if `tools` is empty. */
  readonly missing?: string;
  /** A sentence that says what to use or do instead. */
  readonly hint?: string;
}

/** Returns the other program's tool with this name, or undefined if no program has such a tool. Pure. */
export function findForeignTool(name: string): ForeignTool | undefined {
  return byName.get(plain(name));
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '');
}

const claude: readonly OtherProgram[] = ['Claude Code'];
const codex: readonly OtherProgram[] = ['Codex'];
const gemini: readonly OtherProgram[] = ['Gemini CLI'];
const pi: readonly OtherProgram[] = ['pi'];

/** Returns an entry for each of the space-separated names. Built-in skills replace these tools. */
function same(names: string, programs: readonly OtherProgram[], ...tools: string[]): readonly ForeignTool[] {
  return names.split(' ').map((name) => ({ name, programs, tools }));
}

/** Returns an entry for each of the space-separated names. No built-in skill replaces these tools. */
function none(
  names: string,
  programs: readonly OtherProgram[],
  missing: string,
  hint: string,
): readonly ForeignTool[] {
  return names.split(' ').map((name) => ({ name, programs, tools: [], missing, hint }));
}

const noSearch = 'searching the web';
const searchHint = 'Use webfetch for a known address, or add an MCP server that searches.';
const noList = 'a task list';
const listHint = 'Allow todo, which shows the user a list of steps.';
const noModes = 'switching between modes';
const modesHint = 'Remove it; permission rules decide what may run.';
const noResources = 'reading the resources of MCP servers';
const resourcesHint = 'Use a tool of the server that returns the same data.';
const noMemory = 'saving facts for all conversations';
const memoryHint = 'Have the skill write them to a file with write.';

/**
 * The tool names that skills for other programs use in `allowed-tools`, `disallowed-tools` and `tools`. This
 * is the only table of this kind. A name that a built-in skill also has, such as `Read` or `web_fetch`, is
 * listed if another program uses it.
 */
export const foreignTools: readonly ForeignTool[] = [
  // Files
  ...same('Read', [...claude, ...pi], 'Read'),
  ...same('Write', [...claude, ...pi], 'Write'),
  ...same('Edit', [...claude, ...pi], 'Edit'),
  ...same('MultiEdit', claude, 'Edit'),
  ...same('LS', [...claude, ...pi], 'Glob'),
  ...same('Glob', [...claude, ...gemini], 'Glob'),
  ...same('Grep', [...claude, ...pi], 'Grep'),
  ...same('find', pi, 'Glob'),
  ...same('read_file', [...codex, ...gemini], 'Read'),
  ...same('read_many_files ReadManyFilesTool', gemini, 'Read', 'Glob'),
  ...same('ReadFileTool', gemini, 'Read'),
  ...same('write_file WriteFileTool', gemini, 'Write'),
  ...same('replace EditTool', gemini, 'Edit'),
  ...same('list_directory LSTool GlobTool', gemini, 'Glob'),
  ...same('search_file_content grep_search GrepTool', gemini, 'Grep'),
  ...same('list_dir', codex, 'Glob'),
  ...same('grep_files', codex, 'Grep'),
  ...same('apply_patch', codex, 'Edit', 'Write'),
  ...none(
    'NotebookEdit NotebookRead',
    claude,
    'editing the cells of notebooks',
    'List Read and Edit instead.',
  ),
  ...none('LSP', claude, 'a language server', 'Use grep to find symbols, or bash to run a type checker.'),
  ...none('view_image', codex, 'reading images', 'Describe the image in the request.'),
  // Commands
  ...same('Bash', [...claude, ...pi], 'Bash'),
  ...same('BashOutput TaskOutput', claude, 'BashOutput'),
  ...same('KillShell KillBash TaskStop', claude, 'BashKill'),
  ...same('shell local_shell shell_command exec_command unified_exec', codex, 'Bash'),
  ...same('run_shell_command ShellTool', gemini, 'Bash').map((tool) => ({
    ...tool,
    takesPrefix: true as const,
  })),
  ...none(
    'write_stdin',
    codex,
    'typing into a running command',
    'Pass the input in the command, as in `printf yes | …`.',
  ),
  ...none('Monitor', claude, 'notifications from a running command', 'Use bash-output to read its output.'),
  ...none('PowerShell', claude, 'PowerShell', 'List Bash, and use commands for sh or bash.'),
  ...none('js_repl', codex, 'a JavaScript session', 'List Bash, and run node.'),
  // The web
  ...same('WebFetch', [...claude, ...gemini], 'WebFetch'),
  ...same('WebFetchTool', gemini, 'WebFetch'),
  ...none('WebSearch', claude, noSearch, searchHint),
  ...none('web_search', codex, noSearch, searchHint),
  ...none('google_web_search WebSearchTool', gemini, noSearch, searchHint),
  // People
  ...same('AskUserQuestion', claude, 'AskUser'),
  ...same('request_user_input', codex, 'AskUser'),
  ...same('ask_user', gemini, 'AskUser'),
  ...none(
    'SendMessage SendUserMessage PushNotification',
    claude,
    'messages outside the answer',
    'Put the message in the answer.',
  ),
  // Skills and subagents
  ...same('Skill Task Agent SlashCommand', claude, 'Skill'),
  ...same('spawn_agent', codex, 'Skill'),
  ...same('activate_skill delegate_to_agent', gemini, 'Skill'),
  ...same('Subagent', pi, 'Skill'),
  ...same('ToolSearch', claude, 'FindSkills'),
  ...same('tool_search', codex, 'FindSkills'),
  ...none(
    'send_input wait_agent resume_agent close_agent',
    codex,
    'messages to a running subagent',
    'Call the subagent again.',
  ),
  ...none('codebase_investigator', gemini, 'the subagent codebase_investigator', 'List Read, Glob and Grep.'),
  // Tasks, plans and memory
  ...none('TodoWrite TodoRead TaskCreate TaskGet TaskList TaskUpdate', claude, noList, listHint),
  ...none('update_plan', codex, noList, listHint),
  ...none('write_todos', gemini, noList, listHint),
  ...none('EnterPlanMode ExitPlanMode EnterWorktree ExitWorktree', claude, noModes, modesHint),
  ...none('enter_plan_mode exit_plan_mode', gemini, noModes, modesHint),
  ...none('request_permissions', codex, noModes, modesHint),
  ...none(
    'CronCreate CronDelete CronList',
    claude,
    'scheduled prompts',
    'Start skilled from the scheduler of the system.',
  ),
  ...none('save_memory MemoryTool', gemini, noMemory, memoryHint),
  ...none('get_internal_docs', gemini, 'the documentation of Gemini CLI', 'Remove it.'),
  // Servers
  ...none(
    'ListMcpResourcesTool ReadMcpResourceTool ListMcpResources ReadMcpResource',
    claude,
    noResources,
    resourcesHint,
  ),
  ...none(
    'list_mcp_resources list_mcp_resource_templates read_mcp_resource',
    codex,
    noResources,
    resourcesHint,
  ),
];

// If a name has two entries, the first one is used. Both have the same tools.
const byName: ReadonlyMap<string, ForeignTool> = new Map(
  foreignTools.toReversed().map((tool) => [plain(tool.name), tool]),
);
