import { isJsonObject, type Json } from '../../core/json.ts';

/** How a command ended. */
export interface Ended {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What the `bash` skill says of a command that it ran. */
export function endedIn(value: Json | undefined): Ended {
  const { exitCode, stdout, stderr } = isJsonObject(value) ? value : {};
  return {
    exitCode: typeof exitCode === 'number' ? exitCode : null,
    stdout: typeof stdout === 'string' ? stdout : '',
    stderr: typeof stderr === 'string' ? stderr : '',
  };
}
