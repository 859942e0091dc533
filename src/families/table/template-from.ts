import type { AuthoringCapability } from '../../core/index.ts';

/** Returns the files of a new skill for an existing table or view. Does not change the database. */
export const templateFrom: NonNullable<AuthoringCapability['templateFrom']> = async (name, from) => {
  const { adoptTable } = await import('./adopt/adopt-table.ts');
  return adoptTable(name, from);
};
