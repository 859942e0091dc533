import { createRedactor } from '../core/redact.ts';
import { secretsIn } from '../core/secrets-in.ts';
import type { CatalogQuery, ShownCatalog } from '../core/shown-catalog.ts';
import type { Skill } from '../core/skill.ts';
import type { Store } from '../core/store.ts';
import { Keeper } from '../run/keep.ts';
import type { Runtime } from '../run/runtime.ts';
import { buildCatalog, type Catalog } from '../skills/catalog.ts';
import { definitionOf } from '../skills/definition.ts';
import type { Skills } from '../skills/skills.ts';
import type { AgentOptions, Ports } from './options.ts';
import { namedSecrets } from './named-secrets.ts';
import type { SetUp } from './set-up.ts';

/** What an agent lends to its runs. */
export interface Lender {
  readonly options: AgentOptions;
  readonly ports: Ports;
  readonly setUp: SetUp;
  readonly skills: Skills;
}

/** The ground that runs stand on. */
export function runtimeOf({ options, ports, setUp, skills }: Lender, store: Store): Runtime {
  const secrets = [
    ...secretsIn(ports.environment),
    ...namedSecrets(setUp.settings, ports.environment),
    ...(options.secrets ?? []),
  ];
  return {
    store,
    policy: options.policy ?? ports.policy,
    model: (tier) => (Object.hasOwn(options.models ?? {}, tier) ? options.models?.[tier] : undefined),
    sandboxes: options.sandboxes,
    redact: createRedactor(secrets),
    limits: setUp.runLimits,
    owner: ports.owner,
    now: Date.now,
    random: Math.random,
    registry: () => skills.snapshot(),
    definitionOf: (skill, family) => definitionOf(skill, family, setUp.limits),
    digestOf: (skill) => skills.digest(skill),
    catalog: (callable, query) => catalogFor(skills, callable, query),
    keeper: new Keeper(),
  };
}

/** The catalog of the skills that a frame may call; a request decides which ones when not all fit. */
async function catalogFor(
  skills: Skills,
  callable: readonly Skill[],
  { request, ...limits }: CatalogQuery,
): Promise<ShownCatalog> {
  const plain = buildCatalog(callable, { limits });
  if (request === undefined || plain.omitted.length === 0) return shownOf(plain);
  const { candidates } = await skills.rank(request, { limit: callable.length });
  return shownOf(buildCatalog(callable, { limits, relevance: candidates.map(({ name }) => name) }));
}

function shownOf({ text, shown, omitted }: Catalog): ShownCatalog {
  return { text, shown, omitted };
}
