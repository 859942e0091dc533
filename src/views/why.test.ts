import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  answered,
  approvalAsked,
  approvalDecided,
  asked,
  at,
  called,
  ended,
  failed,
  log,
  refused,
  resumed,
  runStarted,
  waiting,
} from '../../test/support/events.ts';
import type { LogEntry } from '../../test/support/events.ts';
import { explainRun } from './why.ts';

test('what was decided and why, in order', () => {
  const error = { code: 'model.unavailable', message: 'There is no model.' } as const;
  const reasons = explainRun(
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
      '200  approval-asked: The call to "daily" needs approval: it runs code.',
      '300  approval-decided: "daily" was allowed once.',
      '700 daily preparation-failed: The preparation p2 failed (model.unavailable): There is no model.',
      '900 daily › notes approval-asked: "notes" wants to call "bash": it runs code.',
      '1000 daily › notes question-asked: "notes" asked: Which day?',
      '1100 daily › notes question-answered: The answer to "Which day?" was {"day":1}.',
      '1200 daily › notes approval-decided: "bash" was denied: Not today.',
      '1300 daily › notes call-refused: The call to "bash" was refused (policy.denied): Not today.',
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

test('how a prompt found its skill', () => {
  const order = { skill: 'order-desk', score: 0.8249, words: ['order', 'shoes'] };
  const help = { skill: 'help', score: 0.1, words: [] };
  const ranked = { type: 'candidates.ranked', among: 'routers', threshold: 0.5, by: 'words' } as const;
  const texts = (...entries: readonly LogEntry[]): readonly string[] =>
    explainRun(log(runStarted('', { prompt: 'order shoes' }), ...entries)).map(
      ({ kind, text }) => `${kind}: ${text}`,
    );
  assert.deepEqual(
    texts(
      { ...ranked, candidates: [], omitted: 0, abstained: true },
      { ...ranked, candidates: [], omitted: 4, abstained: true },
      { ...ranked, among: 'workers', candidates: [help], omitted: 0, abstained: true },
      { ...ranked, candidates: [order, help], omitted: 7, by: 'meaning', abstained: false },
    ),
    [
      'skills-ranked: There are no orchestrators.',
      'skills-ranked: No match among 4 orchestrators.',
      'skills-ranked: Scores of other skills, by keywords: "help" 0.10. Threshold: 0.50; none reaches it.',
      'skills-ranked: Scores of orchestrators, by keywords and meaning: "order-desk" 0.82 (order, shoes), "help" 0.10, and 7 more. Threshold: 0.50.',
    ],
  );
  const chosen = { type: 'skill.selected', skill: 'order-desk' } as const;
  assert.deepEqual(
    texts(
      { ...chosen, by: 'ranking' },
      { ...chosen, by: 'model', reason: 'It is about shoes.' },
      { ...chosen, skill: 'ad-hoc', by: 'ad-hoc' },
      { ...chosen, skill: '', by: 'nothing', reason: 'There is no model.' },
    ),
    [
      'skill-selected: "order-desk" was chosen by the ranking.',
      'skill-selected: "order-desk" was chosen by a model: It is about shoes.',
      'skill-selected: "ad-hoc" was created for this prompt, because no single skill clearly matches.',
      'skill-selected: No skill matches: There is no model.',
    ],
  );
});

test('when a run was resumed, by which process and after what', () => {
  const reasons = explainRun(
    log(
      ...[runStarted('daily'), called('f1', '', 'daily'), at(9_100, resumed)],
      ...[waiting('q'), at(20_000, { type: 'run.resumed', owner: 'o3' })],
    ),
  );
  assert.deepEqual(
    reasons.map(({ kind, text }) => `${kind}: ${text}`),
    [
      'taken-up: resumed by o2 after 9.0 s without a process',
      'taken-up: resumed by o3 after 11 s of waiting',
    ],
  );
});

test('a question that was reused says who asked it, although its frame begins later', () => {
  const events = log(
    ...[runStarted('daily', { rerunOf: 'r0' }), asked('f1', 'q', 'Which day?'), answered('f1', 'q', 'today')],
    ...[resumed, called('f1', '', 'daily')],
  );
  assert.deepEqual(
    explainRun(events).map(({ path, text }) => `${path.join()} ${text}`),
    ['daily "daily" asked: Which day?', 'daily The answer to "Which day?" was "today".'],
  );
  assert.match(explainRun(events.slice(0, 2))[0]?.text ?? '', /^A skill asked/);
});

test('a run that reuses the choice of another one begins with that and is not resumed', () => {
  const selected = { type: 'skill.selected', skill: 'daily', by: 'model' } as const;
  const started = runStarted('', { prompt: 'my day', rerunOf: 'r0' });
  assert.deepEqual(
    explainRun(log(started, selected, resumed, called('f1', '', 'daily'))).map(({ kind }) => kind),
    ['skill-selected'],
  );
});
