import { sources, type MissingRequirement } from '../../core/index.ts';
import type { Draft } from '../discover/draft.ts';
import { groupName, type RecordOrigin, type RegistryVerdict } from './record.ts';

/** A skill to be registered. Applicants from the same source are in order of precedence. */
export interface Applicant {
  readonly origin: RecordOrigin;
  readonly draft: Draft;
}

/** An applicant with all the data that decides name collisions. */
export interface NameApplicant extends Applicant {
  readonly name: string;
  /** The position among all applicants. */
  readonly order: number;
  /** The requirements of the skill that are not met. */
  readonly missing: readonly MissingRequirement[];
  /** The reason why the name could be mistaken for another name, or undefined if it could not. */
  readonly deceptive: string | undefined;
}

/** The outcome of a name collision for one of the skills involved. */
export interface Ruling {
  readonly entry: NameApplicant;
  readonly verdict: RegistryVerdict;
  /** The skill that gets the name instead. */
  readonly winner?: NameApplicant;
  readonly reason?: string;
  /** Set if the user intended the skill to be replaced. */
  readonly intended?: true;
}

/** The rules for name collisions. */
interface Rules {
  /** Whether the settings allow other skills to have the name of this bundled skill. */
  readonly mayOverride: boolean;
  /**
   * Returns the rank of an applicant's family. The rank decides if several families use the same unqualified
   * name.
   */
  readonly rank: (entry: NameApplicant) => number;
}

/** Returns the verdict on a skill that is the only one with its name. */
export function verdictOf({ missing, deceptive }: NameApplicant): RegistryVerdict {
  if (missing.length === 0 && deceptive === undefined) return ready;
  const flag = deceptive === undefined ? {} : { deceptive: true as const };
  return missing.length === 0 ? { status: 'ready', ...flag } : { status: 'unavailable', missing, ...flag };
}

const ready: RegistryVerdict = { status: 'ready' };

/**
 * Resolves a name collision. Honest names take precedence over deceptive names, the names of bundled skills
 * are reserved, and each family has one winner.
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
 * Returns a comparison that sorts honest before deceptive names, then usable before unusable skills, and then
 * by source, root and path.
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

/** Returns the label of a skill in messages: its file or, without a file, its qualified name. */
export function labelOf({ origin, name }: NameApplicant): string {
  return origin.file === '' ? `${origin.source}:${name}` : origin.file;
}

/** Compares two strings by code units. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
