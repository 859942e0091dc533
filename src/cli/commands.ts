import type { CommandEntry, Repeated } from './command-kit.ts';

// Suggested commands repeat `--safe` because it can change which store is used.
const store: readonly Repeated[] = ['cwd', 'safe'];
const skills: readonly Repeated[] = ['cwd', 'skills', 'safe'];

/** All commands in the order that help lists them. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'run',
    summary: 'Run a prompt or a skill and print the answer',
    repeats: [...skills, 'models', 'roles'],
    load: async () => (await import('./commands/run/run.ts')).run,
  },
  {
    name: 'chat',
    summary: 'Start a conversation; the default at a terminal',
    repeats: [...skills, 'models', 'roles'],
    load: async () => (await import('./commands/chat/chat.ts')).chat,
  },
  {
    name: 'resume',
    summary: 'Answer a waiting run, or resume an interrupted one',
    repeats: [...skills, 'models'],
    load: async () => (await import('./commands/run/resume.ts')).resume,
  },
  {
    name: 'approve',
    summary: 'List pending approvals; allow or deny them',
    repeats: [...skills, 'models'],
    load: async () => (await import('./commands/run/approve.ts')).approve,
  },
  {
    name: 'rerun',
    summary: 'Run an earlier run again',
    repeats: [...skills, 'models'],
    load: async () => (await import('./commands/run/rerun.ts')).rerun,
  },
  {
    name: 'runs',
    summary: 'List runs; show, cancel, remove, export or adopt them',
    repeats: store,
    load: async () => (await import('./commands/runs/runs.ts')).runs,
  },
  {
    name: 'trace',
    summary: 'Show what happened in a run: calls, costs, decisions',
    repeats: store,
    load: async () => (await import('./commands/runs/trace.ts')).trace,
  },
  {
    name: 'artifacts',
    summary: 'List the artifacts of a run; print one, or run a snippet again',
    repeats: store,
    load: async () => (await import('./commands/runs/artifacts.ts')).artifacts,
  },
  {
    name: 'sop',
    summary: 'Check, run or draw a plan: a script whose commands are skills',
    repeats: skills,
    load: async () => (await import('./commands/sop/sop.ts')).sop,
  },
  {
    name: 'list',
    aliases: ['ls'],
    summary: 'List skills with family, source and status',
    repeats: skills,
    load: async () => (await import('./commands/skills/list.ts')).list,
  },
  {
    name: 'show',
    summary: 'Show one skill',
    repeats: skills,
    load: async () => (await import('./commands/skills/show.ts')).show,
  },
  {
    name: 'graph',
    summary: 'Show which skill may call which',
    repeats: skills,
    load: async () => (await import('./commands/graph/graph.ts')).graph,
  },
  {
    name: 'find',
    summary: 'Rank skills by how well they match a task',
    repeats: skills,
    load: async () => (await import('./commands/skills/find.ts')).find,
  },
  {
    name: 'catalog',
    summary: 'Show the skill catalog that a model sees',
    repeats: skills,
    load: async () => (await import('./commands/skills/catalog.ts')).catalog,
  },
  {
    name: 'init',
    summary: 'Set up a project: settings, an ignore file and a first skill',
    repeats: ['cwd'],
    load: async () => (await import('./commands/authoring/init.ts')).init,
  },
  {
    name: 'new',
    summary: 'Create the files of a new skill',
    repeats: ['cwd', 'skills'],
    load: async () => (await import('./commands/authoring/new.ts')).newSkill,
  },
  {
    name: 'build',
    summary: 'Generate code for skills that have specs',
    repeats: [...skills, 'models', 'roles'],
    load: async () => (await import('./commands/authoring/build.ts')).build,
  },
  {
    name: 'render',
    summary: 'Print the text of a skill with its arguments filled in',
    repeats: [...skills, 'roles'],
    load: async () => (await import('./commands/authoring/render.ts')).render,
  },
  {
    name: 'validate',
    summary: 'Check descriptors; exit 3 if one has errors',
    repeats: skills,
    load: async () => (await import('./commands/authoring/validate.ts')).validate,
  },
  {
    name: 'test',
    summary: 'Run the tests of skills; exit 3 if one fails',
    repeats: [...skills, 'models'],
    load: async () => (await import('./commands/authoring/test.ts')).test,
  },
  {
    name: 'trust',
    summary: 'Show, grant and revoke trust in skills and projects',
    repeats: ['cwd', 'skills'],
    load: async () => (await import('./commands/trust/trust.ts')).trust,
  },
  {
    name: 'audit',
    summary: 'Look for known-bad patterns before you trust a skill',
    repeats: skills,
    load: async () => (await import('./commands/trust/audit.ts')).audit,
  },
  {
    name: 'serve',
    summary: 'Serve skills over HTTP: REST, streams of events, and MCP',
    repeats: [...skills, 'models'],
    load: async () => (await import('./commands/server/serve.ts')).serve,
  },
  {
    name: 'dev',
    summary: 'Serve skills on this machine while you work on them',
    repeats: [...skills, 'models'],
    load: async () => (await import('./commands/server/dev.ts')).dev,
  },
  {
    name: 'mcp',
    summary: 'Serve skills over MCP, or configure MCP servers',
    repeats: [...skills, 'models', 'roles'],
    load: async () => (await import('./commands/setup/mcp.ts')).serveMcp,
  },
  {
    name: 'keys',
    summary: 'Add, list and revoke the keys of the server',
    repeats: store,
    load: async () => (await import('./commands/server/keys.ts')).keys,
  },
  {
    name: 'audit-log',
    summary: 'Export who asked, approved and cancelled, as JSON lines',
    repeats: store,
    load: async () => (await import('./commands/server/audit-log.ts')).auditLog,
  },
  {
    name: 'acp',
    summary: 'Put skills into an editor that speaks the Agent Client Protocol',
    repeats: [...skills, 'models', 'roles'],
    load: async () => (await import('./commands/setup/acp.ts')).serveEditor,
  },
  {
    name: 'models',
    summary: 'Show the available models and what each is used for',
    repeats: [...store, 'models'],
    load: async () => (await import('./commands/setup/models.ts')).models,
  },
  {
    name: 'config',
    summary: 'Show, explain and change settings',
    repeats: ['cwd'],
    load: async () => (await import('./commands/config/config.ts')).config,
  },
  {
    name: 'doctor',
    summary: 'Check folders, skills, models, trust, sandbox and issues',
    repeats: skills,
    load: async () => (await import('./commands/setup/doctor.ts')).doctor,
  },
  {
    name: 'completion',
    summary: 'Print a completion script for bash, zsh or fish',
    repeats: [],
    load: async () => (await import('./commands/completion/completion.ts')).createCompletion(commands),
  },
  {
    name: 'demo',
    summary: 'Watch a recorded run: no key, no network, nothing is written',
    repeats: [],
    load: async () => (await import('./commands/setup/demo.ts')).demo,
  },
];
