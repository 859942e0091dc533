import { accepts, type Accepted } from './accepted.ts';
import type { Intake } from './read-intake.ts';
import type { Slot } from './slot.ts';
import type { Source } from './source.ts';

/** Which argument goes where, and what is wrong with that. */
export interface Layout {
  readonly slots: readonly Slot[];
  /** Arguments whose name was given before. */
  readonly repeated: readonly Source[];
  /** Arguments for which there is no place. */
  readonly extra: readonly Source[];
  /** Names of places that must be filled and are not. */
  readonly missing: readonly string[];
}

/** Puts arguments into the places of a command. Pure. */
export function layOut(intake: Intake, sources: readonly Source[]): Layout {
  if (intake.kind !== 'places') {
    const as = intake.kind === 'list' ? 'list' : 'text';
    const slot = { as, sources, accepted: intake.accepted } as const;
    return { slots: [slot], repeated: none, extra: none, missing: none };
  }
  const isNamed = sources.some(({ key }) => key !== undefined);
  return isNamed ? layOutNamed(intake, sources) : layOutRest(intake, sources, new Map());
}

const none: readonly never[] = [];

function layOutNamed(intake: Places, sources: readonly Source[]): Layout {
  const named = new Map<string, Slot>();
  const repeated: Source[] = [];
  for (const source of sources) {
    const { key } = source;
    if (key === undefined) continue;
    const accepted = intake.places.get(key) ?? {};
    if (named.has(key)) repeated.push(source);
    else named.set(key, { name: key, as: 'value', sources: [source], accepted });
  }
  const rest = sources.filter(({ key }) => key === undefined);
  return { ...layOutRest(intake, rest, named), repeated };
}

/** Puts arguments without a key into the places that no key has filled, one each unless a place takes them all. */
function layOutRest(
  { places, inOrder, required }: Places,
  sources: readonly Source[],
  named: ReadonlyMap<string, Slot>,
): Layout {
  const slots: Slot[] = [];
  let taken = 0;
  for (const name of inOrder) {
    if (taken === sources.length) break;
    if (named.has(name)) continue;
    const accepted = places.get(name) ?? {};
    const isJoined = inOrder.length === 1 && accepts(accepted, 'string');
    const isRest = isJoined || (name === inOrder.at(-1) && isList(accepted));
    const end = isRest ? sources.length : taken + 1;
    const as = isJoined ? 'text' : isRest ? 'list' : 'value';
    slots.push({ name, as, sources: sources.slice(taken, end), accepted });
    taken = end;
  }
  slots.push(...named.values());
  const isFilled = (name: string): boolean => slots.some((slot) => slot.name === name);
  return {
    slots,
    repeated: none,
    extra: sources.slice(taken),
    missing: required.filter((name) => !isFilled(name)),
  };
}

type Places = Intake & { readonly kind: 'places' };

function isList(accepted: Accepted): boolean {
  return accepted.kinds?.has('array') === true && !accepted.kinds.has('string');
}
