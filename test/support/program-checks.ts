import assert from 'node:assert/strict';
import type { RunEvent } from '../../src/core/event.ts';
import type { Json } from '../../src/core/json.ts';
import type { RunResult } from '../../src/core/run.ts';
import type { Store } from '../../src/core/store.ts';
import { isStepEnd, stepId, type Stage } from './program-stage.ts';

/** The results of a finished program that do not depend on how often it was interrupted. */
export interface Account {
  readonly status: string;
  readonly value: Json | undefined;
  readonly error: Json | undefined;
  readonly usage: Json;
  readonly frames: readonly string[];
  readonly questions: readonly string[];
  readonly memory: readonly (readonly [string, Json])[];
}

/** Collects the results of a program. */
export async function accountOf(store: Store, stage: Stage, result: RunResult): Promise<Account> {
  const events = await stage.events();
  const ids = (type: string, id: (event: RunEvent) => string): readonly string[] =>
    [...new Set(events.filter((event) => event.type === type).map(id))].sort();
  return {
    status: result.status,
    value: result.value,
    error: result.error as Json | undefined,
    usage: { ...result.usage },
    frames: ids('frame.started', ({ frameId }) => frameId),
    questions: [...ids('input.requested', nameOf), ...ids('approval.requested', nameOf)],
    memory: [...(await store.entries(`memory/${stage.session}`))],
  };
}

function nameOf(event: RunEvent): string {
  return 'id' in event ? event.id : '';
}

/**
 * Checks that no completed effect was repeated, that every recorded effect was performed, and that each
 * effect always had the same unique idempotency key.
 */
export function checkEffects({ performed, endedBefore }: Stage, events: readonly RunEvent[]): void {
  for (const { incarnation, ...effect } of performed) {
    const isRepeated = endedBefore.get(incarnation)?.has(stepId(effect)) === true;
    assert.ok(!isRepeated, `life ${incarnation} did ${stepId(effect)} again`);
  }
  const keys = new Map<string, Set<string>>();
  for (const effect of performed) {
    const before = keys.get(stepId(effect)) ?? new Set();
    keys.set(stepId(effect), before.add(effect.idempotencyKey));
  }
  for (const [id, own] of keys) assert.equal(own.size, 1, `${id} has several idempotency keys`);
  const distinct = new Set([...keys.values()].flatMap((own) => [...own]));
  assert.equal(distinct.size, keys.size, 'two steps share an idempotency key');
  const isReplayed = endedBefore.get(1) ?? new Set();
  for (const event of events.filter(isStepEnd)) {
    const id = stepId(event);
    assert.ok(keys.has(id) || isReplayed.has(id), `${id} ended but was never done`);
  }
}

/**
 * Checks that a finished log is complete: everything started before it ended and ended once, and nothing
 * follows the end.
 */
export function checkLog(events: readonly RunEvent[]): void {
  const open = new Map<string, string>();
  const ended = new Set<string>();
  const steps = new Map<string, 'open' | 'ended'>();
  for (const [index, event] of events.entries()) {
    const { type, frameId } = event;
    assert.equal(event.seq, index + 1);
    assert.ok(
      frameId === '' || type === 'frame.started' || open.has(frameId),
      `${type} outside of its frame`,
    );
    if (type === 'frame.started') {
      assert.ok(!open.has(frameId) && !ended.has(frameId), 'a frame began twice');
      assert.ok(event.parent === '' || open.has(event.parent), 'a frame began outside of its caller');
      open.set(frameId, event.parent);
    } else if (type === 'frame.ended') {
      assert.ok(![...open.values()].includes(frameId), 'a frame ended before what it called');
      open.delete(frameId);
      ended.add(frameId);
    } else if ('key' in event && type !== 'call.refused' && type !== 'model.delta') {
      const id = `${frameId}/${event.key}`;
      const isEnd = /ended|resolved/.test(type);
      assert.equal(steps.get(id) === 'ended', false, `${type} of ${id}, which had ended`);
      assert.ok(!isEnd || steps.has(id), `${type} of ${id}, which never began`);
      steps.set(id, isEnd ? 'ended' : 'open');
    }
  }
  assert.deepEqual([...open.keys()], [], 'frames without an end');
  assert.equal(events.at(-1)?.type, 'run.ended');
  assert.equal(events.filter(({ type }) => type === 'run.ended').length, 1);
}

/** Copies the beginning of a log, and the memory it wrote, into a store. */
export async function seed(store: Store, session: string, events: readonly RunEvent[]): Promise<void> {
  const runId = events[0]?.runId ?? '';
  const epoch = await store.claim(runId, 'seed');
  const skills = new Map<string, string>();
  for (const { v: _v, runId: _runId, seq: _seq, ...event } of events) {
    if (event.type === 'frame.started') skills.set(event.frameId, event.skill);
    const { memory = {}, forgot = [] } = event.type === 'frame.ended' ? event : {};
    const changed: readonly (readonly [string, Json | undefined])[] = [
      ...Object.entries(memory),
      ...forgot.map((key) => [key, undefined] as const),
    ];
    const entries = changed.map(([key, value]) => ({
      space: `memory/${session}`,
      key: `${skills.get(event.frameId) ?? ''}/${key}`,
      value,
    }));
    await store.append(runId, epoch, [event], entries);
  }
}
