import { readdirSync } from 'node:fs';

/** The names in a folder. Never throws: what cannot be looked at is left alone. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // gone, or not for us
  }
}
