import {
  areRoles,
  defaultRunLimits,
  faultOfRule,
  maxRoles,
  optional,
  parseRule,
  rolesExpected,
  type Json,
  type RunLimits,
} from '../../core/index.ts';
import { sessionLimits } from '../../sessions/session-options.ts';
import { defaultSkillLimits, type SkillLimits } from '../../skills/limits.ts';
import { leaf, listOf, type ProjectRule, type Setting, type Shape } from './setting.ts';
import { amount, flag, textList, sourceAddress, wholeNumber } from './shapes.ts';

const meanings: Readonly<Record<keyof (SkillLimits & Required<RunLimits>), string>> = {
  depth: 'Maximum depth of nested calls.',
  frames: 'Maximum number of calls per run to skills that may call other skills.',
  leafCalls: 'Maximum number of calls per run to skills that may not call other skills.',
  steps: 'Maximum model steps per call.',
  runSeconds: 'Maximum working time per run, in seconds.',
  callSeconds: 'Maximum working time per call, in seconds.',
  tokens: 'Maximum input and output tokens per run, across all models.',
  cost: 'Maximum cost per run, in US dollars.',
  descriptorBytes: 'Maximum size of a descriptor, in bytes.',
  frontmatterBytes: "Maximum size of a descriptor's frontmatter, in bytes.",
  frontmatterKeys: 'Maximum number of frontmatter keys, at any depth.',
  frontmatterDepth: 'Maximum nesting depth of the frontmatter.',
  maxCandidatesPerRoot: 'Maximum number of descriptors under one root.',
  maxSkillsPerSource: 'Maximum number of usable skills per source.',
  maxFoldersPerRoot: 'Maximum number of folders opened under one root.',
  maxDepth: 'Maximum folder depth to search.',
};

const flags: Readonly<Record<string, string>> = {
  depth: '--max-depth',
  steps: '--max-steps',
  runSeconds: '--timeout',
  tokens: '--max-tokens',
  cost: '--max-cost',
};

const inProject: ProjectRule = {
  mayBe: (value, own) => own === undefined || Number(value) <= Number(own),
  reason: 'A project may lower your limits, but not raise them.',
};

const usualLimits: Readonly<Record<string, number>> = { ...defaultRunLimits, ...defaultSkillLimits };

/** The settings for the limits on runs and on skill search. */
export const limitSettings: readonly Setting[] = Object.entries(meanings).map(([name, description]) => ({
  key: `limits.${name}`,
  shape: name === 'cost' ? amount : wholeNumber,
  description,
  variable: `SKILLED_LIMITS_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`,
  ...(usualLimits[name] === undefined ? { byDefault: 'no limit' } : { default: usualLimits[name] }),
  ...(flags[name] === undefined ? {} : { flag: flags[name] }),
  inProject,
}));

const notByProject: ProjectRule = {
  mayBe: () => false,
  reason: 'A project could choose where your skills come from.',
};

/** The settings for installing skills. */
export const installSettings: readonly Setting[] = [
  {
    key: 'install.gitBase',
    shape: sourceAddress,
    description: 'The address that a source such as owner/repo is relative to.',
    default: 'https://github.com',
    variable: 'SKILLED_INSTALL_GIT_BASE',
    inProject: notByProject,
  },
  {
    key: 'install.npmRegistry',
    shape: sourceAddress,
    description: 'The registry for npm: sources.',
    byDefault: "the registry in npm's own configuration",
    variable: 'SKILLED_INSTALL_NPM_REGISTRY',
    inProject: notByProject,
  },
  {
    key: 'install.trustKeys',
    shape: textList,
    description: 'Public keys of teams whose trust lists you accept.',
    byDefault: 'none',
    inProject: { mayBe: isEmptyList, reason: 'A project could make you trust its own lists.' },
  },
];

/** Returns whether a value is an empty list. A project may set any list setting to an empty list. */
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

/** A valid deny or ask rule. It may name a tool that only the host provides. */
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
  'a number greater than 0',
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
  { type: 'array', items: { type: 'string', pattern: '\\S' }, maxItems: maxRoles },
  areRoles,
);

/** Settings for permissions, approvals and sandboxes. */
export const permissionSettings: readonly Setting[] = [
  {
    key: 'permissions.allow',
    shape: rules,
    description: 'Calls allowed without asking; rules of all layers apply.',
    byDefault: 'none',
    adds: true,
    inProject: { mayBe: isEmptyList, reason: 'A project could allow itself anything.' },
  },
  {
    key: 'permissions.ask',
    shape: barriers,
    description: 'Calls that always need approval, even if allowed; rules of all layers apply.',
    byDefault: 'none',
    adds: true,
  },
  {
    key: 'permissions.deny',
    shape: barriers,
    description: 'Calls that are never allowed; rules of all layers apply.',
    byDefault: 'none',
    adds: true,
  },
  {
    key: 'permissions.approvalHours',
    shape: hours,
    description: 'Hours after which a pending approval expires.',
    default: 24,
    inProject: {
      mayBe: (value, own) => Number(value) <= Number(own),
      reason: 'A project may shorten the time you have to decide, but not extend it.',
    },
  },
  {
    key: 'sandbox',
    shape: mode,
    description:
      'Whether processes may run on a machine without a sandbox: "auto" asks each time, "required" never allows it.',
    default: 'auto',
    inProject: {
      mayBe: (value) => value === 'required',
      reason: 'A project may require a sandbox, but not waive it.',
    },
  },
  {
    key: 'roles',
    shape: roles,
    description: 'Your roles on the command line, for skills restricted to certain roles.',
    byDefault: 'none',
    variable: 'SKILLED_ROLES',
    flag: '--role',
    inProject: {
      mayBe: isEmptyList,
      reason: 'A project could give you, or itself, access to restricted skills.',
    },
  },
];

const assistantMode = leaf(
  '"open" or "skills-only"',
  { enum: ['open', 'skills-only'] },
  (value) => value === 'open' || value === 'skills-only',
);

const way = leaf(
  '"loop" or "sop"',
  { enum: ['loop', 'sop'] },
  (value) => value === 'loop' || value === 'sop',
);

const longestTimer = 2_147_483_647; // The longest delay that Node's timers support, in milliseconds.
const interval = leaf(
  'a whole number up to 2,147,483,647',
  { type: 'integer', minimum: 0, maximum: longestTimer },
  (value) => Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= longestTimer,
);

const usualSessionLimits = sessionLimits({});

const sessions: ProjectRule = {
  mayBe: () => false,
  reason: 'A project could delete your conversations, or keep them longer.',
};

/** Settings for sessions and for prompts without a skill name. */
export const promptSettings: readonly Setting[] = [
  {
    key: 'exposeInternalSkills',
    shape: flag,
    description:
      'Whether built-in skills such as read and bash are offered for prompts that do not name a skill.',
    default: true,
    inProject: {
      mayBe: (value, own) => value === false || own === true,
      reason: 'A project may hide the built-in skills, but not offer them again.',
    },
  },
  {
    key: 'assistant',
    shape: assistantMode,
    description:
      'What to do with a prompt that no skill fits: answer it from the conversation and the project, or say so.',
    byDefault: '`open` in a chat, otherwise `skills-only`',
    inProject: {
      mayBe: (value, own) => value === 'skills-only' || own === 'open',
      reason: 'A project may limit the assistant to skills, but not open it.',
    },
  },
  {
    key: 'projectInstructions',
    shape: flag,
    description: "Whether the assistant follows the project's AGENTS.md files.",
    default: true,
    inProject: {
      mayBe: (value, own) => value === false || own === true,
      reason: 'A project may turn its instructions off, but not on again.',
    },
  },
  {
    key: 'fallbackSessionType',
    shape: way,
    description: 'How to handle a prompt that no single skill covers: step by step, or with a plan.',
    default: 'loop',
  },
  {
    key: 'enableSummary',
    shape: flag,
    description: 'Adds a summary of the conversation to each later prompt; costs one model request per turn.',
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
      'Maximum number of sessions kept; beyond it the least recently used is deleted. 0 keeps all.',
    default: usualSessionLimits.maxSessions,
    inProject: sessions,
  },
  {
    key: 'sessionConfig.sessionTTL',
    shape: wholeNumber,
    description: 'Milliseconds without use after which a session is deleted; 0 keeps it.',
    default: usualSessionLimits.sessionTTL,
    inProject: sessions,
  },
  {
    key: 'sessionConfig.cleanupInterval',
    shape: interval,
    description: 'Milliseconds between cleanups of sessions; 0 never cleans up.',
    default: usualSessionLimits.cleanupInterval,
    inProject: sessions,
  },
];
