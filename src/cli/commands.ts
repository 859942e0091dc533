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
    name: 'add',
    summary: 'Install skills: repository, registry, package, archive or folder',
    repeats: ['cwd'],
    load: async () => (await import('./commands/install/add.ts')).add,
  },
  {
    name: 'remove',
    summary: 'Remove skills that were installed with add',
    repeats: ['cwd'],
    load: async () => (await import('./commands/install/remove.ts')).remove,
  },
  {
    name: 'outdated',
    summary: 'List installed skills whose source has another version',
    repeats: ['cwd'],
    load: async () => (await import('./commands/install/update.ts')).outdated,
  },
  {
    name: 'update',
    summary: 'Replace installed skills with the current version',
    repeats: ['cwd'],
    load: async () => (await import('./commands/install/update.ts')).update,
  },
  {
    name: 'install',
    summary: 'Install everything in the lock, exactly as locked',
    repeats: ['cwd'],
    load: async () => (await import('./commands/install/install.ts')).install,
  },
  {
    name: 'verify',
    summary: 'Compare installed skills with the lock; exit 3 if one differs',
    repeats: ['cwd'],
    load: async () => (await import('./commands/install/verify.ts')).verify,
  },
  {
    name: 'lock',
    summary: 'Write the lock from the skills that are there',
    repeats: ['cwd'],
    load: async () => (await import('./commands/install/lock.ts')).lock,
  },
  {
    name: 'pack',
    summary: 'Write a skill as an archive',
    repeats: ['cwd'],
    load: async () => (await import('./commands/install/publish.ts')).pack,
  },
  {
    name: 'publish',
    summary: 'Write skills as a registry for any static web server',
    repeats: ['cwd'],
    load: async () => (await import('./commands/install/publish.ts')).publish,
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
    name: 'mcp',
    summary: 'Serve skills over MCP, or configure MCP servers',
    repeats: [...skills, 'models', 'roles'],
    load: async () => (await import('./commands/setup/mcp.ts')).serveMcp,
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
