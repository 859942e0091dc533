import { sources, type Missing } from '../../core/index.ts';
import type { Draft } from '../discover/draft.ts';
import { groupName, type RecordOrigin, type RegistryVerdict } from './record.ts';

/** Something that wants to be registered, in order of precedence within its source. */
export interface Applicant {
  readonly origin: RecordOrigin;
  readonly draft: Draft;
}

/** An applicant with all that decides who gets a name. */
export interface NameApplicant extends Applicant {
  readonly name: string;
  /** Its place among all applicants. */
  readonly order: number;
  /** What keeps it from being used here. */
  readonly missing: readonly Missing[];
  /** Why its name could pass for another one. */
  readonly deceptive: string | undefined;
}

/** What became of one of several skills under one name. */
export interface Ruling {
  readonly entry: NameApplicant;
  readonly verdict: RegistryVerdict;
  /** The skill that it lost its name to. */
  readonly winner?: NameApplicant;
  readonly reason?: string;
  /** Set when whoever replaced it meant to. */
  readonly intended?: true;
}

/** What to know beside the skills themselves. */
interface Rules {
  /** Whether the settings let this bundled name be replaced. */
  readonly mayOverride: boolean;
  /** The place of a family in the order that decides bare names. */
  readonly rank: (entry: NameApplicant) => number;
}

/** The verdict on a skill that shares its name with no other. */
export function verdictOf({ missing, deceptive }: NameApplicant): RegistryVerdict {
  if (missing.length === 0 && deceptive === undefined) return ready;
  const flag = deceptive === undefined ? {} : { deceptive: true as const };
  return missing.length === 0 ? { status: 'ready', ...flag } : { status: 'unavailable', missing, ...flag };
}

const ready: RegistryVerdict = { status: 'ready' };

/** Several skills under one name: honest names first, bundled ones are reserved, then each family settles its own. */
export function settle(group: readonly NameApplicant[], rules: Rules): readonly Ruling[] {
  const sorted = group.toSorted(byPrecedence(group));
  const reserved = rules.mayOverride
    ? undefined
    : sorted.find((entry) => isBundled(entry) && isUsable(entry));
  const replacing = sorted.find(
    (entry) =>
      isUsable(entry) &&
      isHonest(entry) &&
      !isBundled(entry) &&
      (rules.mayOverride || entry.origin.made !== undefined),
  );
  const holder = replacing ?? reserved ?? sorted.find(isHonest);
  const winners = new Map<string, NameApplicant>();
  const rulings = sorted.map((entry): Ruling => {
    if (holder !== undefined && !isHonest(entry)) {
      return lost(entry, holder, { reason: 'Its name may deceive.' });
    }
    if (replacing !== undefined && isBundled(entry)) return lost(entry, replacing, { intended: true });
    if (reserved !== undefined && !isBundled(entry) && entry.origin.made === undefined) {
      return lost(entry, holder ?? reserved, { reason: 'The name belongs to a bundled skill.' });
    }
    const winner = winners.get(entry.origin.family.id);
    if (winner !== undefined) return lost(entry, winner);
    winners.set(entry.origin.family.id, entry);
    return { entry, verdict: verdictOf(entry) };
  });
  return qualify(rulings, rules);
}

/** Honest names before deceptive ones, usable copies before unusable ones, then source, root and path. */
function byPrecedence(group: readonly NameApplicant[]): (a: NameApplicant, b: NameApplicant) => number {
  const roots = new Map<string, number>();
  for (const { origin, order } of group) if (!roots.has(origin.root)) roots.set(origin.root, order);
  const rootOf = ({ origin }: NameApplicant): number => roots.get(origin.root) ?? 0;
  return (a, b) =>
    Number(isHonest(b)) - Number(isHonest(a)) ||
    Number(isUsable(b)) - Number(isUsable(a)) ||
    sources.indexOf(a.origin.source) - sources.indexOf(b.origin.source) ||
    rootOf(a) - rootOf(b) ||
    compareText(a.origin.file, b.origin.file) ||
    a.order - b.order;
}

function isHonest(entry: NameApplicant): boolean {
  return entry.deceptive === undefined;
}

function isUsable(entry: NameApplicant): boolean {
  return entry.missing.length === 0;
}

function isBundled(entry: NameApplicant): boolean {
  return entry.origin.source === 'bundled';
}

function lost(
  entry: NameApplicant,
  winner: NameApplicant,
  more: Pick<Ruling, 'reason' | 'intended'> = {},
): Ruling {
  const flag = entry.deceptive === undefined ? {} : { deceptive: true as const };
  return { entry, winner, verdict: { status: 'shadowed', shadowedBy: labelOf(winner), ...flag }, ...more };
}

/** Sees to it that each skill has a qualified name that leads to it and to no other. */
function qualify(rulings: readonly Ruling[], { rank }: Rules): readonly Ruling[] {
  const order = ['ready', 'unavailable', 'shadowed', 'invalid'];
  const place = ({ verdict }: Ruling): number => order.indexOf(verdict.status);
  const copies = new Map<string, number>();
  const groups = new Set<string>();
  return rulings
    .toSorted((a, b) => place(a) - place(b) || rank(a.entry) - rank(b.entry))
    .map((ruling) => {
      const { source, group } = ruling.entry.origin;
      const copy = (copies.get(source) ?? 0) + 1;
      copies.set(source, copy);
      const name = groupName(group);
      const groupTaken = groups.has(name) ? ({ groupTaken: true } as const) : {};
      groups.add(name);
      return { ...ruling, verdict: { ...ruling.verdict, copy, ...groupTaken } };
    });
}

/** A skill as messages name it: by its file, else by its qualified name. */
export function labelOf({ origin, name }: NameApplicant): string {
  return origin.file === '' ? `${origin.source}:${name}` : origin.file;
}

/** The order of code units. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
