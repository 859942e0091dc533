import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Issue } from '../../core/issue.ts';
import { isJsonObject, type Json } from '../../core/json.ts';
import type { Shelf } from './shelf.ts';

/** What came of asking a server the last time that it answered. */
export interface LastMount {
  /** The name of the copy on the shelf; none where the server had nothing that could be taken. */
  readonly copy?: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Until when the server need not be asked again, as it said. */
  readonly freshUntil: number;
  readonly issues: readonly Issue[];
}

const file = 'last.json';

/** What the shelf says, where it can be read and the copy is still there. */
export function readLastMount({ folder }: Shelf): LastMount | undefined {
  try {
    const kept = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Json;
    if (!isLastMount(kept)) return undefined;
    return kept.copy === undefined || existsSync(join(folder, kept.copy)) ? kept : undefined;
  } catch {
    return undefined; // there was none, or it cannot be read: the server is asked
  }
}

/** Keeps it for the next start, whole or not at all. */
export function writeLastMount({ folder }: Shelf, last: LastMount): void {
  const beside = join(folder, `last-${randomUUID()}.tmp`);
  try {
    writeFileSync(beside, JSON.stringify(last), { mode: 0o600, flag: 'wx' });
    renameSync(beside, join(folder, file));
  } finally {
    rmSync(beside, { force: true });
  }
}

/** Only we write there; this tells another version of the file. */
function isLastMount(value: unknown): value is LastMount {
  if (!isJsonObject(value)) return false;
  const { copy, at, freshUntil, issues } = value as Partial<LastMount>;
  const isCopy = copy === undefined || /^[0-9a-f]{32}$/.test(copy);
  return isCopy && typeof at === 'number' && typeof freshUntil === 'number' && Array.isArray(issues);
}
