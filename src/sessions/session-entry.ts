import type { Json, JsonObject } from '../core/json.ts';
import { membersOf } from '../core/collections.ts';

/** What is kept of a session. Times in milliseconds since 1970. */
export interface SessionEntry {
  readonly createdAt: number;
  /** When its last use began or ended. */
  readonly lastAccessTime: number;
  /** Its user; null when whoever used it first was nobody, undefined while only the program itself has used it. */
  readonly owner: string | null | undefined;
  readonly isWaiting: boolean;
}

/** An entry as a store keeps it. */
export function toStored({ createdAt, lastAccessTime, owner, isWaiting }: SessionEntry): JsonObject {
  return { createdAt, lastAccessTime, isWaiting, ...(owner === undefined ? {} : { owner }) };
}

/** The entry that a store has kept; never throws: what is damaged counts as old, and as nobody's who could use it. */
export function fromStored(stored: Json): SessionEntry {
  const { createdAt, lastAccessTime, owner, isWaiting } = membersOf(stored);
  return {
    createdAt: typeof createdAt === 'number' ? createdAt : 0,
    lastAccessTime: typeof lastAccessTime === 'number' ? lastAccessTime : 0,
    owner: typeof owner === 'string' || owner === undefined ? owner : null,
    isWaiting: isWaiting === true,
  };
}
