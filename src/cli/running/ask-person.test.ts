import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';
import type { ApprovalRequest } from '../../core/policy.ts';
import type { OpenQuestion } from '../../core/run.ts';
import { askPerson } from './ask-person.ts';

interface Talk {
  readonly isAnswered: boolean;
  readonly given: readonly Json[];
  readonly err: string;
  readonly prompts: readonly string[];
}

async function talk(
  question: Partial<OpenQuestion>,
  lines: readonly string[],
  refuse: (answer: Json) => boolean = () => false,
): Promise<Talk> {
  const given: Json[] = [];
  const prompts: string[] = [];
  const left = [...lines];
  let err = '';
  const isAnswered = await askPerson(
    { id: 'q1', kind: 'input', path: ['daily', 'ask'], text: 'Go?', ...question },
    {
      terminal: { err: (text) => void (err += text) },
      ask: async (prompt) => {
        prompts.push(prompt);
        return left.shift();
      },
      signal: new AbortController().signal,
      asked: new Map<string, ApprovalRequest>([
        ['a1', { skill: 'lend', input: { n: 1 }, reason: 'It can.', rule: 'Lend' }],
        [
          'a2',
          { skill: 'bash', input: { command: 'ls' }, reason: 'It runs: ls', rule: 'Bash(ls)', each: true },
        ],
        ['a3', { skill: 'bash', input: { command: 'ls', in: '/' }, reason: 'It runs: ls', rule: 'x' }],
      ]),
      give: async (answer) => {
        if (refuse(answer)) throw new AgentError('usage.bad-input', 'It does not fit.');
        given.push(answer);
      },
    },
  );
  return { isAnswered, given, err, prompts };
}

describe('a question', () => {
  test('is answered in words', async () => {
    const { given, err } = await talk({}, [' yes, do ']);
    assert.deepEqual(given, ['yes, do']);
    assert.equal(err, 'daily › ask asks: Go?\n');
  });

  test('by the number of an option, or in other words', async () => {
    const options = ['left', 'ri\u001b[31mght'];
    assert.deepEqual((await talk({ options }, ['1'])).given, ['left']);
    assert.deepEqual((await talk({ options }, ['3'])).given, ['3']);
    assert.deepEqual((await talk({ options }, ['back'])).given, ['back']);
    assert.match((await talk({ options }, ['1'])).err, /\n {2}1\. left\n {2}2\. right\n$/);
  });

  test('in the type that it asks for, and again until the answer fits', async () => {
    const schema = { type: 'integer' };
    const { given, err } = await talk({ schema }, ['some', '7', '8'], (answer) => answer === 7);
    assert.deepEqual(given, [8]);
    assert.match(err, /must be a whole number: "some"\.\nIt does not fit\.\n$/);
  });

  test('an empty line asks again', async () => {
    const { given, prompts } = await talk({}, ['', '  ', 'yes']);
    assert.deepEqual([given, prompts.length], [['yes'], 3]);
  });

  test('stays open when no answer comes', async () => {
    const { isAnswered, given } = await talk({}, []);
    assert.deepEqual([isAnswered, given], [false, []]);
  });
});

describe('an approval', () => {
  const question = { kind: 'approval', id: 'a1', text: '"daily" wants to call "lend": It can.' } as const;
  const cases: readonly (readonly [lines: readonly string[], answer: Json])[] = [
    [['y'], { allow: 'once' }],
    [['R'], { allow: 'run' }],
    [['', 'always', 'yes'], { allow: 'once' }],
    [['n', 'too late'], { deny: 'too late' }],
    [['n', ''], { deny: 'The user said no.' }],
  ];
  for (const [lines, answer] of cases) {
    test(lines.join(', '), async () => assert.deepEqual((await talk(question, lines)).given, [answer]));
  }

  test('says exactly what would be called', async () => {
    const { err } = await talk(question, ['y']);
    assert.equal(err, '"daily" wants to call "lend": It can.\n  lend {"n":1}\n');
  });

  test('says the input once when the reason has the whole of it', async () => {
    const text = '"daily" wants to call "bash": It runs: ls';
    assert.equal((await talk({ ...question, id: 'a2', text }, ['y'])).err, `${text}\n`);
    const more = await talk({ ...question, id: 'a3', text }, ['y']);
    assert.equal(more.err, `${text}\n  bash {"command":"ls","in":"/"}\n`);
  });

  test('that is asked each time cannot be given for the whole run', async () => {
    const { given, prompts } = await talk({ ...question, id: 'a2' }, ['r', 'run', 'y']);
    assert.deepEqual(given, [{ allow: 'once' }]);
    assert.deepEqual(prompts, Array(3).fill('y once · n no > '));
    assert.match((await talk(question, ['y'])).prompts.join(), /r for this run/);
  });

  test('is not given when no answer comes, and no reason either', async () => {
    assert.equal((await talk(question, ['what'])).isAnswered, false);
    assert.equal((await talk(question, ['n'])).isAnswered, false);
  });
});
