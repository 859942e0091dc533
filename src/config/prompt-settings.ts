import { sessionLimits } from '../sessions/session-limits.ts';
import { flag, wholeNumber } from './setting-shapes.ts';
import type { ProjectRule, Setting } from './setting.ts';
import { leaf } from './settings-shape.ts';

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

const usual = sessionLimits({});

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
    default: usual.maxSessions,
    inProject: sessions,
  },
  {
    key: 'sessionConfig.sessionTTL',
    shape: wholeNumber,
    description: 'Milliseconds without use after which a session is forgotten; 0 keeps it.',
    default: usual.sessionTTL,
    inProject: sessions,
  },
  {
    key: 'sessionConfig.cleanupInterval',
    shape: interval,
    description: 'Milliseconds between two looks for sessions to forget; 0 never looks.',
    default: usual.cleanupInterval,
    inProject: sessions,
  },
];
