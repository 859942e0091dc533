import type { Ports, Settings } from '../agent/options.ts';
import { RecursiveSkilledAgent } from '../agent/recursive-skilled-agent.ts';
import { optional } from '../core/collections.ts';
import type { TrialGround } from './trial-ground.ts';
import type { TrialModels } from './trial-models.ts';
import type { TrialPlace } from './trial-place.ts';
import { withApprovals } from './with-approvals.ts';
import type { Trial } from './trial.ts';

/** What one case alone has. */
export interface TrialParts {
  readonly ports: Ports;
  readonly place: TrialPlace;
  readonly models: TrialModels;
}

/** The agent of one case: the skills of the project, and nothing else that outlives it. */
export function openTrialAgent(
  trial: Trial,
  ground: TrialGround,
  { ports, place, models }: TrialParts,
): RecursiveSkilledAgent {
  const settings = settingsFor(trial, ground.settings);
  const policy = ports.openPolicy(settings.permissions ?? {}, place.trustFile);
  const options = {
    ...ground.roots,
    ...models.options,
    ...{ settings, workspace: place.workspace, trustFile: place.trustFile },
    policy: withApprovals(policy, trial.approve),
    ...optional('store', ground.store),
    retentionDays: 0, // whoever tests does not want to forget anything
    cache: true,
    preparesEarly: false,
    embeddings: false,
  };
  return new RecursiveSkilledAgent(options, ports);
}

/** What the settings say about the skill is replaced as a whole: nothing that the user grants it is mixed with what a case says. */
function settingsFor({ skill, settings }: Trial, all: Settings): Settings {
  const { modelOptions: _models, ...rest } = all;
  if (settings === undefined) return rest;
  const { skills } = rest;
  return { ...rest, skills: { ...skills, entries: { ...skills?.entries, [skill]: settings } } };
}
