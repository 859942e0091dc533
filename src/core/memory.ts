import type { Json } from './json.ts';

/** Values of a session that a skill keeps for its later calls. */
export interface Memory {
  /** As the last ended call of this skill left it, or as this call has set it. */
  get(key: string): Promise<Json | undefined>;
  /** Counts for others when this call has ended well; a call that fails leaves nothing. */
  set(key: string, value: Json): void;
  delete(key: string): void;
}
