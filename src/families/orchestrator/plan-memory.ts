import { isJsonObject, type Json } from '../../core/json.ts';
import type { Scope } from '../../core/scope.ts';
import type { SopMemory, SopSessionEnd } from '../../engines/sop/session/sop-session.ts';

const key = 'plan';
const longest = 30 * 60 * 1000; // milliseconds after which results are too old to build on
const mostKept = 50_000; // characters as JSON
const mostTurns = 3; // the last plan has all that was kept of those before it

/** The plan that the last prompt of this session came to, for the next one to extend; undefined when it is old or gone. */
export async function recallPlan(scope: Scope): Promise<SopMemory | undefined> {
  const kept = await scope.memory.get(key);
  if (!isKept(kept)) return undefined;
  return (await scope.now()) - kept.at > longest ? undefined : kept.memory;
}

/** Keeps a plan with the results of its own steps; one that is too large is forgotten, as a step without its result would be done again. */
export async function rememberPlan(
  request: string,
  { memory, variables }: SopSessionEnd,
  scope: Scope,
): Promise<void> {
  const { turns, state } = memory;
  const last = turns.slice(-1).map(({ plan }) => ({ prompt: request, plan }));
  const kept: Kept = {
    at: await scope.now(),
    memory: {
      turns: [...turns.slice(0, -1), ...last].slice(-mostTurns),
      state: {
        ...state,
        records: state.records.filter(({ variable }) => Object.hasOwn(variables, variable)),
      },
    },
  };
  if (JSON.stringify(kept).length > mostKept) scope.memory.delete(key);
  else scope.memory.set(key, kept as unknown as Json);
}

interface Kept {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly memory: SopMemory;
}

/** A host may have set something else. */
function isKept(value: unknown): value is Kept {
  if (!isJsonObject(value) || typeof value['at'] !== 'number') return false;
  const { memory } = value;
  if (!isJsonObject(memory) || !Array.isArray(memory['turns'])) return false;
  const { state } = memory;
  return isJsonObject(state) && Array.isArray(state['records']);
}
