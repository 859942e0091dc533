import { AgentError } from '../core/error.ts';
import { isJsonObject, type Json } from '../core/json.ts';
import { optional } from '../core/collections.ts';
import { mustBeDone } from './session-outcome.ts';
import type { SessionHost } from './session-skill.ts';

/** How a command is run. */
export interface ShellOptions {
  /** Milliseconds after which it is stopped, which is `limit.time`. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** What a command ended with; that it failed is for the reader to judge. */
export interface ShellResult {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command by calling the skill that runs commands; throws when it is refused, stopped or waits for a person. */
export async function runShell(
  { lender, begin }: SessionHost,
  session: string,
  command: string,
  { timeoutMs, signal }: ShellOptions,
): Promise<ShellResult> {
  const skill = lender.skills.resolve('bash').name;
  const input = { command, ...optional('timeout_ms', timeoutMs) };
  const { value } = mustBeDone(await begin({ skill, input, session, ...optional('signal', signal) }).result);
  if (isShellResult(value)) return value;
  throw new AgentError('skill.no-result', `"${skill}" did not say what the command ended with.`, {
    hint: 'Look at the skill that took its place.',
  });
}

function isShellResult(value: Json | undefined): value is ShellResult & Json {
  return isJsonObject(value) && 'exitCode' in value && typeof value['stdout'] === 'string';
}
