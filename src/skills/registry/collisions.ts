import { sources, type MissingRequirement } from '../../core/index.ts';
import type { Draft } from '../discover/draft.ts';
import { groupName, type RecordOrigin, type RegistryVerdict } from './record.ts';

/** A candidate for registration. Lists of applicants are in order of precedence within each source. */
export interface Applicant {
  readonly origin: RecordOrigin;
  readonly draft: Draft;
}

/** An applicant with all the data used to resolve name collisions. */
export interface NameApplicant extends Applicant {
  readonly name: string;
  /** The applicant's position in the list of all applicants. */
  readonly order: number;
  /** The skill's requirements that this environment does not meet. */
  readonly missing: readonly MissingRequirement[];
  /** The reason the name could be mistaken for another one, or undefined if it could not. */
  readonly deceptive: string | undefined;
}

/** The outcome of a name collision for one of the skills involved. */
export interface Ruling {
  readonly entry: NameApplicant;
  readonly verdict: RegistryVerdict;
  /** The skill that won the name. */
  readonly winner?: NameApplicant;
  readonly reason?: string;
  /** Set if the skill was replaced intentionally. */
  readonly intended?: true;
}

/** The rules for name collisions. */
interface Rules {
  /** Whether the settings allow other skills to use this bundled skill's name. */
  readonly mayOverride: boolean;
  /** Returns the rank of an applicant's family when several families claim an unqualified name. */
  readonly rank: (entry: NameApplicant) => number;
}

/** Returns the registry's verdict on a skill whose name is unique. */
export function verdictOf({ missing, deceptive }: NameApplicant): RegistryVerdict {
  if (missing.length === 0 && deceptive === undefined) return ready;
  const flag = deceptive === undefined ? {} : { deceptive: true as const };
  return missing.length === 0 ? { status: 'ready', ...flag } : { status: 'unavailable', missing, ...flag };
}

const ready: RegistryVerdict = { status: 'ready' };

/**
 * Resolves a name collision. Honest names take precedence over deceptive names, bundled names are reserved,
 * and each family has one winner.
 */
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
      (rules.mayOverride || entry.origin.codeDefinition !== undefined),
  );
  const holder = replacing ?? reserved ?? sorted.find(isHonest);
  const winners = new Map<string, NameApplicant>();
  const rulings = sorted.map((entry): Ruling => {
    if (holder !== undefined && !isHonest(entry)) {
      return lost(entry, holder, { reason: 'Its name is deceptive.' });
    }
    if (replacing !== undefined && isBundled(entry)) return lost(entry, replacing, { intended: true });
    if (reserved !== undefined && !isBundled(entry) && entry.origin.codeDefinition === undefined) {
      return lost(entry, holder ?? reserved, { reason: 'The name belongs to a bundled skill.' });
    }
    const winner = winners.get(entry.origin.family.id);
    if (winner !== undefined) return lost(entry, winner);
    winners.set(entry.origin.family.id, entry);
    return { entry, verdict: verdictOf(entry) };
  });
  return qualify(rulings, rules);
}

/**
 * Orders honest names before deceptive names, then usable skills before unusable ones, then by source, root
 * and path.
 */
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

/** Gives each skill a unique qualified name. */
function qualify(rulings: readonly Ruling[], { rank }: Rules): readonly Ruling[] {
  const order = ['ready', 'unavailable', 'shadowed', 'invalid'];
  const statusRank = ({ verdict }: Ruling): number => order.indexOf(verdict.status);
  const copies = new Map<string, number>();
  const groups = new Set<string>();
  return rulings
    .toSorted((a, b) => statusRank(a) - statusRank(b) || rank(a.entry) - rank(b.entry))
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

/** Returns the skill's label for messages: its file, or its qualified name if it has no file. */
export function labelOf({ origin, name }: NameApplicant): string {
  return origin.file === '' ? `${origin.source}:${name}` : origin.file;
}

/** Compares two strings by code units. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
