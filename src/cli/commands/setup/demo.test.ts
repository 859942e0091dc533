import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { call, documentOf, errorIn, leaveHome, linesOf } from '../../../../test/support/command.ts';
import { tree } from '../../../../test/support/tree.ts';
import { eventVersion, type EventType } from '../../../core/event.ts';
import { framesOf } from '../../../views/run-node.ts';
import { foldRun } from '../../../views/run-tree.ts';
import { widthOf } from '../../output/text.ts';
import { readRecording } from './demo.ts';

leaveHome();

// The compiler checks that this list is complete.
const known: Readonly<Record<EventType, true>> = {
  'run.started': true,
  'run.resumed': true,
  'run.waiting': true,
  'run.ended': true,
  'candidates.ranked': true,
  'skill.selected': true,
  'call.refused': true,
  'frame.started': true,
  'frame.ended': true,
  'prepare.started': true,
  'prepare.ended': true,
  'step.started': true,
  'step.ended': true,
  'artifact.created': true,
  'note.added': true,
  'model.started': true,
  'model.delta': true,
  'model.ended': true,
  'input.requested': true,
  'input.resolved': true,
  'approval.requested': true,
  'approval.resolved': true,
};

describe('the recording', () => {
  const events = readRecording();
  const run = foldRun(events);

  test('is a whole log of events that this version knows', () => {
    const unknown = events.filter(({ type, v }) => !Object.hasOwn(known, type) || v !== eventVersion);
    assert.deepEqual(unknown, [], 'make it again: node scripts/make-demo-log.js');
    assert.deepEqual(
      events.map(({ seq }) => seq),
      events.map((_, index) => index + 1),
    );
    assert.deepEqual([events[0]?.type, events.at(-1)?.type], ['run.started', 'run.ended']);
    assert.equal(new Set(events.map(({ runId }) => runId)).size, 1);
  });

  test('shows every kind of call, a question, an approval, a failure that is survived, and costs', () => {
    const frames = [...framesOf(run)];
    const families = new Set(frames.map(({ family }) => family));
    for (const family of ['orchestrator', 'agent-skill', 'subagent', 'code-skill', 'table'])
      assert.ok(families.has(family), family);
    const types = new Set(events.map(({ type }) => type));
    for (const type of ['input.resolved', 'approval.resolved', 'candidates.ranked'] as const)
      assert.ok(types.has(type), type);
    assert.equal(run.status, 'done');
    assert.ok(frames.some(({ status }) => status === 'failed'));
    assert.ok(frames.some(({ depth }) => depth === 3));
    assert.ok((run.totalUsage.cost ?? 0) > 0);
  });

  test('tells nothing of the machine that it was made on', () => {
    const text = JSON.stringify(events);
    assert.doesNotMatch(text, /\/(?:tmp|home|root|Users|var|private|work)\b/);
    const owners = events.flatMap((event) => (event.type === 'run.resumed' ? [event.owner] : []));
    assert.deepEqual([...new Set(owners)], ['the terminal']);
  });
});

describe('demo', () => {
  test('in a pipe everything comes at once: the answer on stdout, the rest on stderr, and nothing is written', async () => {
    using files = tree();
    const { code, out, err } = await call(['demo', '--speed', '1', '--cwd', files.path]);
    assert.equal(code, 0);
    assert.equal(out.trimEnd(), foldRun(readRecording()).output?.text);
    const lines = err.split('\n');
    assert.match(lines[0] ?? '', /^This is a recording/);
    assert.match(lines[2] ?? '', /^\$ skilled run '/);
    assert.match(err, /^✓ front-desk .*\n├ ✓ repair-jobs .*\$/ms);
    assert.match(err, /^run r_\w+ · done · \d+ calls · .* tok · \$0\.\d\d$/m);
    assert.match(err, /skilled demo --trace/);
    assert.deepEqual(readdirSync(files.path), []);
    assert.equal((await call(['demo', '-q'])).err, '');
  });

  test('at a terminal the tree is drawn, with questions and answers in between', async () => {
    const drawn: string[] = [];
    const live = {
      screen: () => ({ columns: 100, rows: 40 }),
      show: (lines: readonly string[]) => void drawn.push(lines.join('\n')),
      wipe: () => undefined,
      setFooter: () => undefined,
      above: (write: () => void) => write(),
    };
    const { code, err } = await call(['demo', '--speed', '50'], { live });
    assert.equal(code, 0);
    assert.ok(drawn.some((lines) => lines.startsWith('… front-desk')));
    assert.match(err, /asks: Which brake squeaks\?\n {2}1\. front\n.*> rear\n/s);
    assert.match(err, /"front-desk" wants to call "write": .*\n> y\n/s);
    const atOnce = await call(['demo', '--speed', '0'], { live });
    assert.doesNotMatch(atOnce.err, /Which brake squeaks\?\n/);
  });

  test('the views are those of trace', async () => {
    const view = async (...args: readonly string[]): Promise<string> =>
      (await call(['demo', ...args], { width: 60 })).out;
    assert.match(await view('--trace'), /^run r_\w+ · done · .*\n✓ front-desk /);
    assert.match(await view('--why'), /"front-desk" was chosen by/);
    assert.match(await view('--timeline'), /^front-desk .*▓.*\n/);
    for (const args of [['--trace'], ['--why'], ['--timeline']])
      for (const line of (await view(...args)).split('\n')) assert.ok(widthOf(line) <= 60, line);
    assert.equal(linesOf(await call(['demo', '--events'])).length, readRecording().length);
  });

  test('each view is one JSON document', async () => {
    const document = async (...args: readonly string[]): Promise<Record<string, unknown>> =>
      documentOf(await call(['demo', '--json', ...args]));
    assert.equal((await document())['status'], 'done');
    assert.deepEqual(await document('--trace'), await document());
    assert.ok(((await document('--why'))['reasons'] as unknown[]).length > 5);
    assert.ok(((await document('--timeline'))['rows'] as unknown[]).length > 10);
  });

  test('mistakes', async () => {
    const slow = await call(['demo', '--speed', 'slow', '--json']);
    assert.deepEqual([slow.code, errorIn(slow).code], [2, 'usage.bad-input']);
    assert.match(
      (await call(['demo', '--why', '--timeline'])).err,
      /--why and --timeline are different views/,
    );
  });
});
