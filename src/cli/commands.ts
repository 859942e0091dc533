import type { Command } from './command.ts';

interface CommandEntry {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** Imports the command when it is called, and nothing before. */
  readonly load: () => Promise<Command>;
}

/** Every verb, in the order in which help shows them. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'list',
    aliases: ['ls'],
    summary: 'List skills: name, family, source, ready or why not',
    load: async () => (await import('./commands/list.ts')).list,
  },
  { name: 'show', summary: 'Show one skill', load: async () => (await import('./commands/show.ts')).show },
  {
    name: 'find',
    summary: 'Rank skills by how well they fit a task',
    load: async () => (await import('./commands/find.ts')).find,
  },
  {
    name: 'catalog',
    summary: 'Show what a model would see of the skills',
    load: async () => (await import('./commands/catalog.ts')).catalog,
  },
  {
    name: 'validate',
    summary: 'Check descriptors; exit 3 when one has errors',
    load: async () => (await import('./commands/validate.ts')).validate,
  },
  {
    name: 'doctor',
    summary: 'Examine roots, skills, eligibility and findings',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
];
