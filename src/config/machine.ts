import type { Machine } from './find-models.ts';

/** This machine, with the folder of a `.env` file; without a folder only the environment counts. */
export function machineFor(folder: string | undefined): Machine {
  return { environment: process.env, folder };
}
