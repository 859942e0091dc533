import { createHash } from 'node:crypto';
import { hasEnded, isJsonObject, type Json, type RunSummary } from '../../core/index.ts';
import type { Caller } from '../caller.ts';
import type { ServerContext } from '../route-group.ts';

/** A run that waits for the next message of a conversation which only its client keeps. */
export interface OpenTurn {
  readonly runId: string;
  /** The id of the question or approval. */
  readonly question: string;
  readonly kind: 'input' | 'approval';
  /** The stored id of the run's session. */
  readonly session: string;
}

const storedMs = 30 * 24 * 3_600_000;

/** Returns the address of a conversation: what a client sends with its next message. Pure. */
export function addressOf({ user, principal }: Caller, api: string, conversation: Json): string {
  const owner = user?.id ?? principal.keyId;
  return createHash('sha256')
    .update(JSON.stringify([api, owner, conversation]))
    .digest('hex');
}

/** Records that the next message at an address answers a run. */
export async function storeOpenTurn(
  { agent }: ServerContext,
  address: string,
  turn: OpenTurn,
): Promise<void> {
  const store = await agent.runs.store();
  await store.set(spaceOf(address), turn.runId, { ...turn }, storedMs);
}

/**
 * Finds the run that waits for the next message at an address, with its summary. Two conversations with the same
 * words have the same address: each message takes one of their runs.
 */
export async function findOpenTurn(
  { agent }: ServerContext,
  address: string,
): Promise<{ readonly turn: OpenTurn; readonly run: RunSummary } | undefined> {
  const store = await agent.runs.store();
  const stored = await store.entries(spaceOf(address));
  for (const [key, value] of stored) {
    const turn = turnIn(value);
    const [run] = turn === undefined ? [] : await store.runs({ ids: [turn.runId] });
    if (turn !== undefined && run !== undefined && !hasEnded(run.status)) return { turn, run };
    await store.delete(spaceOf(address), key);
  }
  return undefined;
}

/** Takes an open turn, so that no other message answers it. Returns whether it was still there. */
export async function takeOpenTurn(
  { agent }: ServerContext,
  address: string,
  turn: OpenTurn,
): Promise<boolean> {
  const store = await agent.runs.store();
  const found = await store.get(spaceOf(address), turn.runId);
  return found !== undefined && (await store.swap(spaceOf(address), turn.runId, found, undefined));
}

function spaceOf(address: string): string {
  return `server/open-turns/${address}`;
}

function turnIn(value: Json): OpenTurn | undefined {
  return isJsonObject(value) && typeof value['runId'] === 'string'
    ? (value as unknown as OpenTurn)
    : undefined;
}
