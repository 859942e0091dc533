import {
  optional,
  type Model,
  type ModelChoice,
  type NamedModel,
  type ModelRole,
  type Tier,
  type TierChoice,
} from '../core/index.ts';

/** The models of one tier. */
interface ChosenTier {
  readonly tier: Tier;
  /** The models in order of preference. Empty if none are configured. */
  readonly models: readonly NamedModel[];
  /** The tier whose models are used, if this tier has none. */
  readonly instead?: Tier;
}

const usualTiers: Readonly<Record<ModelRole, Tier>> = {
  plan: 'plan',
  execution: 'fast',
  code: 'code',
  summary: 'fast',
};

/** The tier for each role. A role that is absent uses its usual tier. */
type TierConfig = Readonly<Partial<Record<ModelRole, Tier>>>;

/**
 * Returns the tier for a role: the configured tier, or else the tier with the role's name if it has models,
 * or else the role's usual tier. Returns any other name unchanged.
 */
export function tierOf(name: Tier, choice: ModelChoice | undefined, config: TierConfig = {}): Tier {
  if (!isRole(name)) return name;
  return config[name] ?? (tiersIn(choice).includes(name) ? name : usualTiers[name]);
}

function isRole(name: string): name is ModelRole {
  return Object.hasOwn(usualTiers, name);
}

const fallbackTiers: readonly Tier[] = ['default', 'plan', 'fast', 'code'];

/**
 * Returns the models of a tier. If the tier has no models, returns the models of the first tier that has
 * some.
 */
export function chooseTier(tier: Tier, choice: ModelChoice | undefined): ChosenTier {
  if (choice === undefined) return { tier, models: [] };
  if (!isMap(choice)) return { tier, models: listOf(choice) };
  const modelsOf = (name: Tier): readonly NamedModel[] =>
    Object.hasOwn(choice, name) ? listOf(choice[name] ?? []) : [];
  const used = [tier, ...fallbackTiers, ...Object.keys(choice)].find((name) => modelsOf(name).length > 0);
  if (used === undefined) return { tier, models: [] };
  return { tier, models: modelsOf(used), ...optional('instead', used === tier ? undefined : used) };
}

/** Returns the tiers for which models are configured. */
export function tiersIn(choice: ModelChoice | undefined): readonly Tier[] {
  return choice !== undefined && isMap(choice) ? Object.keys(choice) : [];
}

/** The models of a role or tier, in a form for display. */
export interface TierUse {
  /** The role. Absent for a tier that no role uses. */
  readonly role?: ModelRole;
  readonly tier: Tier;
  /** The names of the models in order of preference. May be empty. */
  readonly models: readonly string[];
  /**
   * Where the models come from: the settings (`set`), this machine (`found`), or the tier in `instead`
   * (`fallback`).
   */
  readonly from: 'set' | 'found' | 'fallback';
  readonly instead?: Tier;
}

/** Returns the models of every role, and of every tier that no role uses. */
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
