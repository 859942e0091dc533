import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RecursiveSkilledAgent } from '../config/preset.ts';
import type { Issue } from '../core/issue.ts';
import type { Invocation } from './command.ts';
import { learnMeanings, meaningNotes } from './semantic-ranking.ts';

type Skills = RecursiveSkilledAgent['skills'];

/** The part of an agent that these tests need. */
function agentWith(skills: Partial<Pick<Skills, 'awaitMeanings' | 'diagnostics'>>): RecursiveSkilledAgent {
  return { skills } as unknown as RecursiveSkilledAgent;
}

function invocation(quiet: boolean, shown: string[]): Invocation {
  return {
    flags: { quiet },
    terminal: { progress: (line: string) => shown.push(line) },
  } as unknown as Invocation;
}

describe('learning', () => {
  test('a few meanings are learned unasked, and not more', async () => {
    const agent = agentWith({ awaitMeanings: (options) => Promise.resolve(options?.most ?? Infinity) });
    assert.equal(await learnMeanings(agent, invocation(false, [])), 60);
    assert.equal(await learnMeanings(agent, invocation(false, []), true), Infinity);
  });

  test('progress is one line that says how much is left, and nothing when quiet', async () => {
    const agent = agentWith({
      awaitMeanings: (options) => {
        options?.onProgress?.(1_204);
        return Promise.resolve(0);
      },
    });
    const shown: string[] = [];
    await learnMeanings(agent, invocation(false, shown), true);
    await learnMeanings(agent, invocation(true, shown), true);
    assert.deepEqual(shown, ['learning: 1,204 texts left']);
  });
});

describe('notes on a ranking', () => {
  const issue = (code: Issue['code']): Issue => ({
    level: 'info',
    code,
    message: `${code} \u001b[31mhappened.`,
  });
  const notes = (
    codes: readonly Issue['code'][],
    basis: Parameters<typeof meaningNotes>[1],
  ): readonly string[] => meaningNotes(agentWith({ diagnostics: () => codes.map(issue) }), basis);

  test('there are none when meaning decided, or when no one expects it to', () => {
    assert.deepEqual(notes(['name.form', 'cache.unwritable'], { by: 'meaning', missing: 0 }), []);
    assert.deepEqual(notes([], { by: 'words', missing: 0 }), []);
  });

  test('what is not learned yet is counted', () => {
    assert.match(notes([], { missing: 1_204 })[0] ?? '', /of 1,204 texts are not learned yet; .*--learn/);
    assert.match(notes([], { missing: 1 })[0] ?? '', /of 1 text is not/);
  });

  test('an encoder that fails says why', () => {
    assert.deepEqual(notes(['rank.by-words'], { by: 'words', missing: 0, learned: true }), [
      'rank.by-words happened.',
    ]);
  });

  test('who asks to learn hears when there is no encoder, and when nothing can be kept', () => {
    assert.match(notes([], { by: 'words', missing: 0, learned: true })[0] ?? '', /not installed/);
    assert.deepEqual(notes(['cache.unwritable'], { by: 'meaning', missing: 0, learned: true }), [
      'cache.unwritable happened.',
    ]);
  });
});
