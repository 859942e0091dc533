import { AgentError } from '../../core/error.ts';
import type { Invocation } from '../command.ts';

/** Throws `usage.bad-input` for `--stream` without `--json`, which would mean nothing. */
export function mustStream({ flags, own }: Invocation): void {
  if (own['stream'] !== true || flags.json) return;
  throw new AgentError('usage.bad-input', '--stream is a way of --json.', { hint: 'Add --json.' });
}
