import type { AuthoringCapability } from '../../core/index.ts';

/** The files of a new skill for a table or view that a database has already; nothing in the database is changed. */
export const templateFrom: NonNullable<AuthoringCapability['templateFrom']> = async (name, from) => {
  const { adoptTable } = await import('./adopt/adopt-table.ts');
  return adoptTable(name, from);
};
