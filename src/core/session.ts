import type { Message } from './model.ts';

/** The session of whoever names none. */
export const defaultSession = 'default';

/** What one user said and was told, in order. */
export interface Session {
  readonly id: string;
  readonly turns: readonly Message[];
  readonly summary?: string;
}

/** Keeps sessions; different ones never share anything. */
export interface Sessions {
  open(id?: string): Promise<Session>;
  save(session: Session): Promise<void>;
  delete(id: string): Promise<void>;
  close(): Promise<void>;
}
