import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  answered,
  approvalAsked,
  approvalDecided,
  asked,
  called,
  ended,
  failed,
  log,
  refused,
  runStarted,
} from '../../test/support/events.ts';
import { whyOf } from './why.ts';

test('what was decided and why, in order', () => {
  const error = { code: 'model.unavailable', message: 'There is no model.' } as const;
  const reasons = whyOf(
    log(
      runStarted('daily'),
      { type: 'skill.selected', skill: 'daily', by: 'name' },
      approvalAsked('', 'c', 'daily'),
      approvalDecided('', 'c', { allow: 'once' }),
      called('f1', '', 'daily'),
      { type: 'prepare.started', frameId: 'f1', run: 'p1' },
      { type: 'prepare.ended', frameId: 'f1', run: 'p1' },
      { type: 'prepare.ended', frameId: 'f1', run: 'p2', error },
      called('f2', 'f1', 'notes'),
      approvalAsked('f2', 'c', 'bash', 'notes'),
      asked('f2', 'q', 'Which day?'),
      answered('f2', 'q', { day: 1 }),
      approvalDecided('f2', 'c', { deny: 'Not today.' }),
      refused('f2', 'bash', 'Not today.'),
      approvalDecided('f2', 'unknown', { allow: 'run' }),
      answered('lost', 'q', 1),
      ended('f2', failed('It is not the skill that began.', 'skill.changed')),
      ended('f1', failed('other')),
    ),
  );
  assert.deepEqual(
    reasons.map(({ at, path, kind, text }) => `${at} ${path.join(' › ')} ${kind}: ${text}`),
    [
      '100  skill-selected: "daily" was chosen by its name.',
      '200  approval-asked: The call of "daily" needs approval: it runs code.',
      '300  approval-decided: "daily" was allowed this once.',
      '700 daily preparation-failed: The preparation p2 failed (model.unavailable): There is no model.',
      '900 daily › notes approval-asked: "notes" wants to call "bash": it runs code.',
      '1000 daily › notes question-asked: "notes" asked: Which day?',
      '1100 daily › notes question-answered: The answer to "Which day?" was {"day":1}.',
      '1200 daily › notes approval-decided: "bash" was denied: Not today.',
      '1300 daily › notes call-refused: The call of "bash" was refused (policy.denied): Not today.',
      '1400 daily › notes approval-decided: "unknown" was allowed for the rest of the run.',
      '1500  question-answered: The answer to "q" was 1.',
      '1600 daily › notes skill-changed: "notes" was stopped (skill.changed): It is not the skill that began.',
    ],
  );
  assert.deepEqual(
    reasons.flatMap(({ code = [] }) => code),
    ['model.unavailable', 'policy.denied', 'skill.changed'],
  );
});
