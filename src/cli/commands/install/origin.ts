import type { LockedSkill } from '../../../install/lock-file.ts';

/** Returns the origin of an installed skill in a few words: its source, folder and version. */
export function originText(entry: LockedSkill | undefined): string {
  if (entry?.source === undefined) return '';
  const { version, commit } = entry.resolved ?? {};
  return [entry.source, entry.from, version ?? commit?.slice(0, 12)].filter(Boolean).join(' ');
}

/** Returns the origin of an installed skill for JSON. Undefined if it is not in a lock. */
export function originJson(entry: LockedSkill | undefined): object | undefined {
  if (entry === undefined) return undefined;
  const { source, resolved, from, digest, provenance } = entry;
  return { source, resolved, from, digest, provenance };
}
