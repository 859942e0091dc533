import {
  optional,
  type Model,
  type ModelChoice,
  type NamedModel,
  type Role,
  type Tier,
  type TierChoice,
} from '../core/index.ts';

/** Which models a tier comes to; they are asked one after the other. */
interface ChosenTier {
  readonly tier: Tier;
  /** Empty when nothing is chosen. */
  readonly models: readonly NamedModel[];
  /** The tier that stands in for one that is not set. */
  readonly instead?: Tier;
}

const usualTiers: Readonly<Record<Role, Tier>> = {
  plan: 'plan',
  execution: 'fast',
  code: 'code',
  summary: 'fast',
};

/** Which tier each role uses; what is absent is as usual. */
type TierConfig = Readonly<Partial<Record<Role, Tier>>>;

/** The tier of a role: as configured, else one of its own name where that is chosen, else as usual. What is no role is a tier. */
export function tierOf(name: Tier, choice: ModelChoice | undefined, config: TierConfig = {}): Tier {
  if (!isRole(name)) return name;
  return config[name] ?? (tiersIn(choice).includes(name) ? name : usualTiers[name]);
}

function isRole(name: string): name is Role {
  return Object.hasOwn(usualTiers, name);
}

const standIns: readonly Tier[] = ['default', 'plan', 'fast', 'code'];

/** What is chosen for a tier: its own choice, else that of the first tier that has one. */
export function chooseTier(tier: Tier, choice: ModelChoice | undefined): ChosenTier {
  if (choice === undefined) return { tier, models: [] };
  if (!isMap(choice)) return { tier, models: listOf(choice) };
  const modelsOf = (name: Tier): readonly NamedModel[] =>
    Object.hasOwn(choice, name) ? listOf(choice[name] ?? []) : [];
  const used = [tier, ...standIns, ...Object.keys(choice)].find((name) => modelsOf(name).length > 0);
  if (used === undefined) return { tier, models: [] };
  return { tier, models: modelsOf(used), ...optional('instead', used === tier ? undefined : used) };
}

/** The tiers that a choice names. */
export function tiersIn(choice: ModelChoice | undefined): readonly Tier[] {
  return choice !== undefined && isMap(choice) ? Object.keys(choice) : [];
}

/** What a role or a tier comes to, for people. */
export interface TierUse {
  /** Absent for a tier that no role uses. */
  readonly role?: Role;
  readonly tier: Tier;
  /** In the order in which they are asked; empty when there is none. */
  readonly models: readonly string[];
  /** Why: set for the tier, found on this machine, or taken from the tier `instead`. */
  readonly from: 'set' | 'found' | 'fallback';
  readonly instead?: Tier;
}

/** What every role, and every further tier that the choice names, comes to. */
export function describeTiers(
  choice: ModelChoice | undefined,
  config: TierConfig = {},
  from: 'set' | 'found' = 'set',
): readonly TierUse[] {
  const use = (tier: Tier): TierUse => {
    const { models, instead } = chooseTier(tier, choice);
    const ids = models.map((model) => (typeof model === 'string' ? model : model.id));
    return instead === undefined
      ? { tier, models: ids, from }
      : { tier, models: ids, from: 'fallback', instead };
  };
  const roles = Object.keys(usualTiers).filter(isRole);
  const used = roles.map((role) => ({ role, ...use(tierOf(role, choice, config)) }));
  const others = tiersIn(choice).filter((tier) => !used.some((one) => one.tier === tier));
  return [...used, ...others.map(use)];
}

function isMap(choice: ModelChoice): choice is Readonly<Record<Tier, TierChoice>> {
  return typeof choice === 'object' && !Array.isArray(choice) && !isModel(choice);
}

function isModel(choice: object): choice is Model {
  return 'stream' in choice && typeof choice.stream === 'function';
}

function listOf(choice: TierChoice): readonly NamedModel[] {
  const list = Array.isArray(choice) ? (choice as readonly NamedModel[]) : [choice as NamedModel];
  return list.filter((model) => model !== '');
}
