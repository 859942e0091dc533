import { defaultRunLimits, type RunLimits } from '../core/run-limits.ts';
import { defaultSkillLimits, type SkillLimits } from '../skills/limits.ts';
import { amount, wholeNumber } from './setting-shapes.ts';
import type { ProjectRule, Setting } from './setting.ts';

const meanings: Readonly<Record<keyof (SkillLimits & Required<RunLimits>), string>> = {
  depth: 'How deep calls may nest.',
  frames: 'Calls of skills that may call others, in one run.',
  leafCalls: 'Calls of skills that may call no others, in one run.',
  steps: 'Model steps of one call.',
  runSeconds: 'Seconds that a run may work.',
  callSeconds: 'Seconds that one call may work.',
  tokens: 'Tokens in and out of one run, all models together.',
  money: 'US dollars that one run may cost.',
  descriptorBytes: 'Size of a descriptor.',
  frontmatterBytes: 'Size of the frontmatter of a descriptor.',
  frontmatterKeys: 'Keys in the frontmatter, at any depth.',
  frontmatterDepth: 'Nesting of the frontmatter.',
  maxCandidatesPerRoot: 'Descriptors below one root.',
  maxSkillsPerSource: 'Usable skills of one source.',
  maxFoldersPerRoot: 'Folders opened below one root.',
  maxDepth: 'Depth of the walk through folders.',
};

const flags: Readonly<Record<string, string>> = {
  depth: '--max-depth',
  steps: '--max-steps',
  runSeconds: '--timeout',
  tokens: '--max-tokens',
  money: '--max-cost',
};

const inProject: ProjectRule = {
  mayBe: (value, own) => own === undefined || Number(value) <= Number(own),
  reason: 'A project may narrow your limits, but not widen them.',
};

const usual: Readonly<Record<string, number>> = { ...defaultRunLimits, ...defaultSkillLimits };

/** How far runs and the search for skills may go, one setting each. */
export const limitSettings: readonly Setting[] = Object.entries(meanings).map(([name, description]) => ({
  key: `limits.${name}`,
  shape: name === 'money' ? amount : wholeNumber,
  description,
  variable: `SKILLED_LIMITS_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`,
  ...(usual[name] === undefined ? { byDefault: 'no limit' } : { default: usual[name] }),
  ...(flags[name] === undefined ? {} : { flag: flags[name] }),
  inProject,
}));
