import type { CommandEntry, Repeated } from './command-kit.ts';

// A run is kept elsewhere with --safe, which ignores what settings of the project say about that.
const store: readonly Repeated[] = ['cwd', 'safe'];
const skills: readonly Repeated[] = ['cwd', 'skills', 'safe'];

/** Every verb, in the order in which help shows them. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'run',
    summary: 'Carry out a prompt, or run a skill, and print the answer',
    repeats: [...skills, 'models', 'roles'],
    load: async () => (await import('./commands/run/run.ts')).run,
  },
  {
    name: 'chat',
    summary: 'Hold a conversation; "skilled" alone does so at a terminal',
    repeats: [...skills, 'models', 'roles'],
    load: async () => (await import('./commands/chat/chat.ts')).chat,
  },
  {
    name: 'resume',
    summary: 'Answer a run that waits, or take up an interrupted one',
    repeats: [...skills, 'models'],
    load: async () => (await import('./commands/run/resume.ts')).resume,
  },
  {
    name: 'approve',
    summary: 'List what waits for a decision; allow or deny it',
    repeats: [...skills, 'models'],
    load: async () => (await import('./commands/run/approve.ts')).approve,
  },
  {
    name: 'rerun',
    summary: 'Run anew what an earlier run did',
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
    summary: 'List what a run made and kept; print one, or run a snippet again',
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
    summary: 'List skills: name, family, source, ready or why not',
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
    summary: 'Rank skills by how well they fit a task',
    repeats: skills,
    load: async () => (await import('./commands/skills/find.ts')).find,
  },
  {
    name: 'catalog',
    summary: 'Show what a model would see of the skills',
    repeats: skills,
    load: async () => (await import('./commands/skills/catalog.ts')).catalog,
  },
  {
    name: 'init',
    summary: 'Begin a project: settings, an ignore file and a first skill',
    repeats: ['cwd'],
    load: async () => (await import('./commands/authoring/init.ts')).init,
  },
  {
    name: 'new',
    summary: 'Write the files of a new skill',
    repeats: ['cwd', 'skills'],
    load: async () => (await import('./commands/authoring/new.ts')).newSkill,
  },
  {
    name: 'build',
    summary: 'Make what skills are made of: code of specs',
    repeats: [...skills, 'models', 'roles'],
    load: async () => (await import('./commands/authoring/build.ts')).build,
  },
  {
    name: 'render',
    summary: 'Print the text of a skill with its arguments put in',
    repeats: [...skills, 'roles'],
    load: async () => (await import('./commands/authoring/render.ts')).render,
  },
  {
    name: 'validate',
    summary: 'Check descriptors; exit 3 when one has errors',
    repeats: skills,
    load: async () => (await import('./commands/authoring/validate.ts')).validate,
  },
  {
    name: 'test',
    summary: 'Run the cases that lie beside skills; exit 3 when one fails',
    repeats: [...skills, 'models'],
    load: async () => (await import('./commands/authoring/test.ts')).test,
  },
  {
    name: 'trust',
    summary: 'Show whose code may run; trust a skill or a project, or take that back',
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
    summary: 'Serve skills to other agents, as tools and to be loaded',
    repeats: [...skills, 'models', 'roles'],
    load: async () => (await import('./commands/setup/mcp.ts')).serveMcp,
  },
  {
    name: 'models',
    summary: 'Show which models were found and what each is used for',
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
    summary: 'Examine folders, skills, models, trust, containment and findings',
    repeats: skills,
    load: async () => (await import('./commands/setup/doctor.ts')).doctor,
  },
  {
    name: 'completion',
    summary: 'Print a script for Tab in bash, zsh or fish',
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
