import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { AgentOptions } from '../../src/index.ts';
import type { ScriptedReply } from '../../src/testing/index.ts';
import { withoutBubblewrap } from '../support/bubblewrap.ts';
import { skill, skillFiles } from './skill-text.ts';
import { loading, rulesAndTrust, stage, runSkill, toolNames, toolTexts, userTexts } from './stage.ts';

// The lifecycle of a skill in a Claude Code conversation: pre-approval, a second invocation, compaction,
// fork, hooks.
// Comments describe the rules that differ here. Not supported: overrides of single skills that keep the name.

const write = (file_path: string): ScriptedReply => ({
  calls: [{ name: 'write', input: { file_path, content: 'x' } }],
});

/** The user's own skills, which are trusted, under the default policy. */
const trusted: AgentOptions = { ...rulesAndTrust, additionalSkillRoots: ['.agents/skills'] };

describe('tools of a skill that is loaded', { skip: withoutBubblewrap }, () => {
  const helper = skillFiles({ helper: skill('helper', 'Write a file.', 'allowed-tools: Write\n') });

  test('allowed-tools are allowed without a question', async () => {
    await using on = stage(helper, [loading('helper'), write('made.txt'), 'Done.'], trusted);
    const { result } = await runSkill(on, { skill: 'desk', input: 'Go.' });
    assert.equal(result.text, 'Done.');
    assert.ok(existsSync(on.files.at('made.txt')));
  });

  test('before it is loaded they are asked for', async () => {
    await using on = stage(helper, [write('made.txt'), 'Done.'], trusted);
    assert.equal((await runSkill(on, { skill: 'desk', input: 'Go.' })).result.status, 'waiting');
  });

  test('allowed-tools take nothing away', async () => {
    await using on = stage(helper, [loading('helper'), 'Done.'], trusted);
    await runSkill(on, { skill: 'desk', input: 'Go.' });
    assert.deepEqual(toolNames(on.model.requests[1]), toolNames(on.model.requests[0]));
  });

  test('allowed-tools of a project that is not trusted allow nothing', async () => {
    await using on = stage(helper, [loading('helper'), write('made.txt'), 'Done.'], rulesAndTrust);
    assert.equal((await runSkill(on, { skill: 'desk', input: 'Go.' })).result.status, 'waiting');
    assert.ok(!existsSync(on.files.at('made.txt')));
  });

  // In Claude Code, both last for one turn. Here, they last as long as the conversation that loaded the skill.
  test('they are allowed until the conversation ends, and not in the next one', async () => {
    const script = [loading('helper'), write('a.txt'), write('b.txt'), 'Done.', write('c.txt'), 'Done.'];
    await using on = stage(helper, script, trusted);
    assert.equal((await runSkill(on, { skill: 'desk', input: 'Go.' })).result.text, 'Done.');
    assert.equal((await runSkill(on, { skill: 'desk', input: 'Go on.' })).result.status, 'waiting');
    assert.deepEqual(
      ['a', 'b', 'c'].map((name) => existsSync(on.files.at(`${name}.txt`))),
      [true, true, false],
    );
  });
});

describe('a skill in a conversation', () => {
  const files = skillFiles({
    style: skill('style', 'Write short sentences about $ARGUMENTS.'),
    other: skill('other', 'Another body.'),
  });

  test('the same invocation again is a short note', async () => {
    await using on = stage(files, [loading('style', 'cats'), loading('style', 'cats'), 'Done.']);
    await runSkill(on, { skill: 'desk', input: 'Go.' });
    const [first = '', second = ''] = toolTexts(on.model.requests[2]);
    assert.match(first, /short sentences about cats/);
    assert.doesNotMatch(second, /short sentences/);
    assert.ok(second.length < 300, second);
  });

  test('with other arguments it is loaded again', async () => {
    await using on = stage(files, [loading('style', 'cats'), loading('style', 'dogs'), 'Done.']);
    await runSkill(on, { skill: 'desk', input: 'Go.' });
    assert.match(toolTexts(on.model.requests[2])[1] ?? '', /about dogs/);
  });

  test('it tells its folder and its files, which can be read then', async () => {
    const given = { ...files, '.agents/skills/style/references/long.md': 'The long rules.' };
    const path = (): string => on.files.at('.agents/skills/style/references/long.md');
    const on = stage(given, (_request, turn) => {
      if (turn === 1) return loading('style');
      return turn === 2 ? { calls: [{ name: 'read', input: { file_path: path() } }] } : 'Done.';
    });
    await using _ = on;
    await runSkill(on, { skill: 'desk', input: 'Go.' });
    const [shown = '', content = ''] = toolTexts(on.model.requests[2]);
    assert.ok(shown.includes(on.files.at('.agents/skills/style')), shown);
    assert.match(shown, /references\/long\.md/);
    assert.doesNotMatch(shown, /The long rules/);
    assert.match(content, /The long rules/);
  });

  test('after compaction its text is there, whole', async () => {
    const tooLong = { error: { code: 'model.too-long', message: 'Too long.' } } as const;
    const looks = Array.from({ length: 8 }, (_, index) => ({
      calls: [{ name: 'glob', input: { pattern: `*.${index}` } }],
    }));
    const script = [loading('style', 'cats'), ...looks, tooLong, 'A summary.', 'Done.'];
    await using on = stage(files, script);
    const { result } = await runSkill(on, { skill: 'desk', input: 'Go.' });
    assert.equal(result.text, 'Done.', JSON.stringify(result.error));
    const last = on.model.requests.at(-1);
    assert.match(JSON.stringify(last?.messages), /A summary\./);
    assert.equal(toolTexts(last).filter((text) => text.includes('short sentences about cats')).length, 1);
    assert.ok((last?.messages.length ?? 0) < 2 * looks.length);
  });

  test('after compaction only the newest copy is there, cut when it is long', async () => {
    const long = skillFiles({ long: skill('long', `Begin $ARGUMENTS. ${'word '.repeat(9_000)}End.`) });
    const tooLong = { error: { code: 'model.too-long', message: 'Too long.' } } as const;
    const looks = Array.from({ length: 8 }, (_, index) => ({
      calls: [{ name: 'glob', input: { pattern: `*.${index}` } }],
    }));
    const script = [loading('long', 'one'), loading('long', 'two'), ...looks, tooLong, 'A summary.', 'Done.'];
    await using on = stage(long, script);
    await runSkill(on, { skill: 'desk', input: 'Go.' });
    const texts = toolTexts(on.model.requests.at(-1)).filter((text) => text.includes('Begin'));
    assert.equal(texts.length, 1);
    assert.match(texts[0] ?? '', /Begin two\./);
    assert.doesNotMatch(texts[0] ?? '', /End\./);
    assert.ok((texts[0] ?? '').length < 30_000, 'about 5,000 tokens');
  });
});

describe('fork', () => {
  test('the body is its whole prompt', async () => {
    const files = skillFiles({ apart: skill('apart', 'Count the files.', 'context: fork\n') });
    await using on = stage(files, [loading('apart'), 'Three.', 'Done.']);
    await runSkill(on, { skill: 'desk', input: 'A private matter.' });
    assert.equal(userTexts(on.model.requests[1]).length, 1);
    assert.doesNotMatch(JSON.stringify(on.model.requests[1]), /private matter/);
  });

  test('general-purpose is not a special agent', async () => {
    const head = 'context: fork\nagent: general-purpose\n';
    await using on = stage(skillFiles({ apart: skill('apart', 'Count.', head) }), ['Three.']);
    const { result, called } = await runSkill(on, { skill: 'apart' });
    assert.deepEqual([result.text, called], ['Three.', ['apart']]);
  });

  // In Claude Code, a fork runs in the background by default. Here, the call waits for it by default.
  test('it is waited for unless it says otherwise', async () => {
    const files = skillFiles({ apart: skill('apart', 'Count.', 'context: fork\n') });
    await using on = stage(files, [loading('apart'), 'Three.', 'Done.']);
    await runSkill(on, { skill: 'desk', input: 'Go.' });
    assert.match(toolTexts(on.model.requests[2])[0] ?? '', /Three\./);
  });
});

describe('hooks', () => {
  const guard = (more: string): Record<string, string> =>
    skillFiles({
      guard: skill(
        'guard',
        'Watch.',
        `hooks:\n  PreToolUse:\n    - matcher: "Write|Edit"\n      hooks:\n        - type: command\n          command: "echo stop >&2; exit 2"\n${more}`,
      ),
    });

  test('count from the moment the skill is loaded', async () => {
    await using on = stage(guard(''), [write('a.txt'), loading('guard'), write('b.txt'), 'Done.']);
    await runSkill(on, { skill: 'desk', input: 'Go.' });
    assert.deepEqual(
      ['a', 'b'].map((name) => existsSync(on.files.at(`${name}.txt`))),
      [true, false],
    );
  });

  // In Claude Code, they last for the session. Here, they last for the conversation that loaded the skill.
  test('are over with the conversation', async () => {
    await using on = stage(guard(''), [loading('guard'), write('a.txt'), 'Done.', write('b.txt'), 'Done.']);
    await runSkill(on, { skill: 'desk', input: 'Go.' });
    await runSkill(on, { skill: 'desk', input: 'Go on.' });
    assert.deepEqual(
      ['a', 'b'].map((name) => existsSync(on.files.at(`${name}.txt`))),
      [false, true],
    );
  });

  test('with once are asked once', async () => {
    const files = guard('          once: true\n');
    await using on = stage(files, [loading('guard'), write('a.txt'), write('b.txt'), 'Done.']);
    await runSkill(on, { skill: 'desk', input: 'Go.' });
    assert.deepEqual(
      ['a', 'b'].map((name) => existsSync(on.files.at(`${name}.txt`))),
      [false, true],
    );
  });

  test('hear of the call on their input', async () => {
    const command = 'if grep -q made.txt; then exit 0; fi; echo "who?" >&2; exit 2';
    const head = `hooks:\n  PreToolUse:\n    - matcher: Write\n      hooks:\n        - type: command\n          command: ${JSON.stringify(command)}\n`;
    const files = skillFiles({ guard: skill('guard', 'Watch.', head) });
    await using on = stage(files, [loading('guard'), write('made.txt'), write('other.txt'), 'Done.']);
    await runSkill(on, { skill: 'desk', input: 'Go.' });
    assert.deepEqual(
      ['made', 'other'].map((name) => existsSync(on.files.at(`${name}.txt`))),
      [true, false],
    );
  });
});
