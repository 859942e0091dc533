import { hash } from 'node:crypto';
import { normaliseName } from '../core/names.ts';

/** The canonical name: what is declared, else the folder or file stem, else a short digest of what was written. */
export function canonicalName(declared: string, stem: string): string {
  const name = normaliseName(declared);
  if (name !== '') return name;
  return normaliseName(stem) || `skill-${hash('sha256', declared || stem).slice(0, 8)}`;
}
