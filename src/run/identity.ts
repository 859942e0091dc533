import { hash, randomBytes } from 'node:crypto';
import { hashOf } from '../core/canonical.ts';
import type { Json } from '../core/json.ts';

/** The id of a new run. */
export function newRunId(): string {
  return `r_${randomBytes(8).toString('hex')}`;
}

/** The id of the run that prepares a bundle, the same in every process. */
export function preparationId(digest: string | undefined): string {
  return `p_${digest === undefined ? randomBytes(8).toString('hex') : short(digest)}`;
}

/** What tells a user from others in the log, where nobody is to be named. */
export function userKey(user: string | undefined): string | undefined {
  return user === undefined || user === '' ? undefined : short(`user/${user}`);
}

/** The id of a call, from that of its caller and its key: the same after every restart. */
export function frameIdOf(parent: string, key: string): string {
  return `f_${short(`${parent}/${key}`)}`;
}

/** The id by which a question is answered. */
export function questionIdOf(frameId: string, key: string): string {
  return `q_${short(`${frameId}/${key}`)}`;
}

/** What an effect is recognised by wherever it arrives twice. */
export function idempotencyKeyOf(runId: string, frameId: string, key: string): string {
  return `${runId}.${hash('sha256', `${frameId}/${key}`).slice(0, 24)}`;
}

/** What tells a call or step from others by its content: a name and a hash, to be counted by occurrence. */
export function contentKey(name: string, content: Json): string {
  return `${name}:${hashOf(content)}`;
}

function short(text: string): string {
  return hash('sha256', text).slice(0, 16);
}
