import {
  areRoles,
  defaultRunLimits,
  faultOfRule,
  mostRoles,
  optional,
  parseRule,
  rolesExpected,
  type Json,
  type RunLimits,
} from '../../core/index.ts';
import { sessionLimits } from '../../sessions/session-options.ts';
import { defaultSkillLimits, type SkillLimits } from '../../skills/limits.ts';
import { leaf, listOf, type ProjectRule, type Setting, type Shape } from './setting.ts';
import { amount, flag, wholeNumber } from './shapes.ts';

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

const usualLimits: Readonly<Record<string, number>> = { ...defaultRunLimits, ...defaultSkillLimits };

/** How far runs and the search for skills may go, one setting each. */
export const limitSettings: readonly Setting[] = Object.entries(meanings).map(([name, description]) => ({
  key: `limits.${name}`,
  shape: name === 'money' ? amount : wholeNumber,
  description,
  variable: `SKILLED_LIMITS_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`,
  ...(usualLimits[name] === undefined ? { byDefault: 'no limit' } : { default: usualLimits[name] }),
  ...(flags[name] === undefined ? {} : { flag: flags[name] }),
  inProject,
}));

/** Whether a list gives nothing: a project may always say that. */
export function isEmptyList(value: Json): boolean {
  return Array.isArray(value) && value.length === 0;
}

const examples = 'such as "Read", "Bash(git diff *)" or "Skill(name)"';
const rule = leaf(
  `a rule ${examples}`,
  { type: 'string', pattern: '^\\s*[\\w.*-]+(?:\\([\\s\\S]*\\S[\\s\\S]*\\))?\\s*$' },
  (value) => typeof value === 'string' && parseRule(value) !== undefined,
);
const rules = listOf(`a list of rules ${examples}`, rule);

/** A rule that denies or asks must be able to mean something; one for a tool that only the host knows stays in the list. */
const barrier: Shape = {
  ...rule,
  fit(value, path, complain) {
    const fault = faultOfRule(value);
    if (fault === undefined) return value;
    const { rule: text, tool, near, expected, hint } = fault;
    complain(path, expected, { hint, details: { rule: text, near: [...near], ...optional('tool', tool) } });
    return tool === undefined ? undefined : value;
  },
};
const barriers = listOf(`a list of rules ${examples}`, barrier);

const hours = leaf(
  'a number above 0',
  { type: 'number', exclusiveMinimum: 0 },
  (value) => Number.isFinite(value) && Number(value) > 0,
);

const mode = leaf(
  '"auto" or "required"',
  { enum: ['auto', 'required'] },
  (value) => value === 'auto' || value === 'required',
);

const roles = leaf(
  rolesExpected,
  { type: 'array', items: { type: 'string', pattern: '\\S' }, maxItems: mostRoles },
  areRoles,
);

/** What may be called, for how long that is asked, and where processes run. */
export const permissionSettings: readonly Setting[] = [
  {
    key: 'permissions.allow',
    shape: rules,
    description: 'What may be called without asking; the rules of all layers count.',
    byDefault: 'none',
    adds: true,
    inProject: { mayBe: isEmptyList, reason: 'A project could allow itself what it likes.' },
  },
  {
    key: 'permissions.ask',
    shape: barriers,
    description: 'What a person is always asked about, whatever is allowed; the rules of all layers count.',
    byDefault: 'none',
    adds: true,
  },
  {
    key: 'permissions.deny',
    shape: barriers,
    description: 'What may not be called, whatever else is said; the rules of all layers count.',
    byDefault: 'none',
    adds: true,
  },
  {
    key: 'permissions.approvalHours',
    shape: hours,
    description: 'Hours after which nobody can decide any more what a run asks for.',
    default: 24,
    inProject: {
      mayBe: (value, own) => Number(value) <= Number(own),
      reason: 'A project may shorten the time for your decisions, but not draw it out.',
    },
  },
  {
    key: 'sandbox',
    shape: mode,
    description:
      'Whether processes may run on a machine without a sandbox, each after its own question, or not at all.',
    default: 'auto',
    inProject: {
      mayBe: (value) => value === 'required',
      reason: 'A project may insist on a sandbox, but not do without one.',
    },
  },
  {
    key: 'roles',
    shape: roles,
    description: 'What you may do on the command line, for skills that let only some people in.',
    byDefault: 'none',
    variable: 'SKILLED_ROLES',
    flag: '--role',
    inProject: { mayBe: isEmptyList, reason: 'A project could let you, or itself, in where you may not go.' },
  },
];

const way = leaf(
  '"loop" or "sop"',
  { enum: ['loop', 'sop'] },
  (value) => value === 'loop' || value === 'sop',
);

const longestTimer = 2_147_483_647; // milliseconds
const interval = leaf(
  'a whole number up to 2,147,483,647',
  { type: 'integer', minimum: 0, maximum: longestTimer },
  (value) => Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= longestTimer,
);

const usualSessionLimits = sessionLimits({});

const sessions: ProjectRule = {
  mayBe: () => false,
  reason: 'A project could delete your conversations, or keep them for longer.',
};

/** How prompts are carried out that name no skill, and what is remembered of sessions. */
export const promptSettings: readonly Setting[] = [
  {
    key: 'exposeInternalSkills',
    shape: flag,
    description:
      'Whether the skills of the package itself, as read and bash, are offered for prompts that name no skill.',
    default: true,
    inProject: {
      mayBe: (value, own) => value === false || own === true,
      reason: 'A project may hide the skills of the package, but not offer them again.',
    },
  },
  {
    key: 'fallbackSessionType',
    shape: way,
    description: 'How a prompt is carried out that no skill takes as a whole: step by step, or by a plan.',
    default: 'loop',
  },
  {
    key: 'enableSummary',
    shape: flag,
    description:
      'Keep a summary of each conversation in front of its next prompt; it costs a request to a model per turn.',
    default: false,
    inProject: {
      mayBe: (value, own) => value === false || own === true,
      reason: 'A project could make you pay for summaries.',
    },
  },
  {
    key: 'sessionConfig.maxSessions',
    shape: wholeNumber,
    description:
      'How many sessions are remembered; past it the one that was used least recently is forgotten. 0 keeps all.',
    default: usualSessionLimits.maxSessions,
    inProject: sessions,
  },
  {
    key: 'sessionConfig.sessionTTL',
    shape: wholeNumber,
    description: 'Milliseconds without use after which a session is forgotten; 0 keeps it.',
    default: usualSessionLimits.sessionTTL,
    inProject: sessions,
  },
  {
    key: 'sessionConfig.cleanupInterval',
    shape: interval,
    description: 'Milliseconds between two looks for sessions to forget; 0 never looks.',
    default: usualSessionLimits.cleanupInterval,
    inProject: sessions,
  },
];
