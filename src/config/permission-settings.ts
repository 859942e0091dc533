import { areRoles, mostRoles, rolesExpected } from '../core/run.ts';
import { faultOfRule } from '../core/policy/check-rules.ts';
import { optional } from '../core/collections.ts';
import { parseRule } from '../core/policy/rules.ts';
import { isEmptyList } from './is-empty-list.ts';
import type { Setting } from './setting.ts';
import { leaf, listOf, type Shape } from './settings-shape.ts';

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
