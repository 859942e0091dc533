import { variable, type Environment } from '../skills/environment.ts';

/** A place as it is written; for `env:NAME` what that variable says, undefined where it says nothing. */
export function placeBehind(written: string, environment: Environment): string | undefined {
  const name = /^env:(.*)$/s.exec(written)?.[1];
  return name === undefined ? written : variable(environment, name.trim());
}
