import { isJsonObject, userKey, type JsonObject } from '../../core/index.ts';
import { notFound, type Caller } from '../caller.ts';
import type { ServerContext } from '../route-group.ts';
import type { EarlierTurn } from './earlier-turns.ts';

/** A response of the Responses API, as it is kept. */
export interface ResponseRecord {
  /** A pseudonymous value that identifies the user. */
  readonly owner: string;
  readonly runId: string;
  readonly session: string;
  readonly prompt: string;
  readonly text: string;
  readonly previous?: string;
  /** The response as the client gets it. */
  readonly response: JsonObject;
}

const space = 'openai/responses';
const lastSpace = 'openai/last-responses';
const storedMs = 30 * 86_400_000;

/** Returns how records name the user of a caller. */
export function ownerOf({ user }: Caller): string {
  return userKey(user?.id) ?? '';
}

/** Keeps a response for 30 days. */
export async function saveRecord(
  { agent }: ServerContext,
  id: string,
  record: ResponseRecord,
): Promise<void> {
  const store = await agent.runs.store();
  await store.set(space, id, record as unknown as JsonObject, storedMs);
}

/** Records which response is the last one of a session. */
export async function saveLast({ agent }: ServerContext, session: string, id: string): Promise<void> {
  await (await agent.runs.store()).set(lastSpace, session, id, storedMs);
}

/** Whether a response is the last one of its session, so that the conversation continues. */
export async function isLast({ agent }: ServerContext, session: string, id: string): Promise<boolean> {
  return (await (await agent.runs.store()).get(lastSpace, session)) === id;
}

/** Finds a response. Throws the same error for a response of another user as for one that does not exist. */
export async function findRecord(
  context: ServerContext,
  caller: Caller,
  id: string,
): Promise<ResponseRecord> {
  const found = await (await context.agent.runs.store()).get(space, id);
  if (!isJsonObject(found)) throw notFound('response', id);
  const record = found as unknown as ResponseRecord;
  if (record.owner !== ownerOf(caller) && !caller.isAdmin) throw notFound('response', id);
  return record;
}

/** Forgets a response. Its run and its session stay. */
export async function removeRecord({ agent }: ServerContext, id: string): Promise<void> {
  await (await agent.runs.store()).delete(space, id);
}

const maxTurns = 200;

/** Returns the turns up to a response, oldest first. Ends at a response that was deleted. */
export async function turnsUntil(
  context: ServerContext,
  caller: Caller,
  record: ResponseRecord,
): Promise<readonly EarlierTurn[]> {
  const turns: EarlierTurn[] = [];
  for (let one: ResponseRecord | undefined = record; one !== undefined && turns.length < maxTurns;) {
    turns.push({ prompt: one.prompt, text: one.text });
    const { previous }: ResponseRecord = one;
    one =
      previous === undefined ? undefined : await findRecord(context, caller, previous).catch(() => undefined);
  }
  return turns.toReversed();
}
