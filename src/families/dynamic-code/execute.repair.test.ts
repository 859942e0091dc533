import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dynamicCodeStage, inCode, inText } from '../../../test/support/dynamic-code-stage.ts';

describe('an answer that has no result', () => {
  const failing: Readonly<Record<string, readonly [string, RegExp]>> = {
    'code that throws': [inCode('const a = null;\nreturn a.b'), /failed in line 2: TypeError: Cannot read/],
    'code that cannot be read': [inCode('return )'), /syntax error in line 1: Unexpected token/],
    'code that returns nothing': [
      inCode('input + 1'),
      /The code returned nothing\.\nEnd the code with a return statement\./,
    ],
    'code that returns no JSON': [inCode('return () => 1'), /returned a function, which is not JSON/],
    'code that waits for nothing': [inCode('await new Promise(() => {})'), /waits for a promise that never/],
    'code that is too much': [inCode('return "x".repeat(2e6)'), /too long.*limit is 1000000/],
    'no code': [inCode(' '), /The code is empty\./],
    'an empty text': [inText(' \n'), /The text is empty\./],
  };
  for (const [what, [answer, fault]] of Object.entries(failing)) {
    test(`goes back with the exact fault: ${what}`, async () => {
      await using stage = dynamicCodeStage([answer, inCode('return 1')]);
      const { result } = await stage.ask();
      assert.equal(result.value, 1);
      const [first, second] = stage.model.requests;
      assert.deepEqual(second?.messages.slice(0, -1), [
        ...(first?.messages ?? []),
        { role: 'assistant', text: answer },
      ]);
      assert.match(second?.messages.at(-1)?.text ?? '', fault);
    });
  }

  test('goes back with what it had logged, which people see too', async () => {
    await using stage = dynamicCodeStage([
      inCode('console.log("half way"); throw new Error("no")'),
      inText('So.'),
    ]);
    const { result, notes } = await stage.ask();
    assert.deepEqual([result.text, notes], ['So.', ['half way']]);
    assert.match(stage.model.requests[1]?.messages.at(-1)?.text ?? '', /log:\nhalf way\n/);
  });

  test('never ends, and goes back when its time is over', async () => {
    await using stage = dynamicCodeStage([inCode('while (true);'), inCode('return 1')], {
      head: ['timeout: 3'],
    });
    assert.equal((await stage.ask()).result.value, 1);
    assert.match(stage.model.requests[1]?.messages.at(-1)?.text ?? '', /took longer than 3 seconds/);
  });

  test('needs too much memory, and goes back', async () => {
    const hungry = 'const all = []; while (true) all.push({ all })';
    await using stage = dynamicCodeStage([inCode(hungry), inCode('return 1')], { head: ['memory: 8'] });
    assert.equal((await stage.ask()).result.value, 1);
    assert.match(stage.model.requests[1]?.messages.at(-1)?.text ?? '', /more than 8 MiB/);
  });

  test('goes back once: the second is the failure of the skill', async () => {
    const second = `console.log("again");\nthrow new Error("still no") // ${'x'.repeat(3000)}`;
    await using stage = dynamicCodeStage([inCode('throw new Error("no")'), inCode(second)]);
    const { result, artifacts } = await stage.ask();
    assert.equal(result.error?.code, 'skill.failed');
    assert.equal(
      result.error?.message,
      '"dynamic" found no answer in two tries: The snippet failed in line 2: Error: still no',
    );
    assert.match(result.error?.hint ?? '', /dcgskill\.md/);
    assert.deepEqual(result.error?.details, { code: second.slice(0, 2000), log: 'again\n' });
    assert.equal(stage.model.requests.length, 2);
    assert.deepEqual(
      artifacts.map(({ name }) => name),
      ['snippet.js', 'snippet-2.js'],
    );
  });

  test('is not run twice: the same code again is the failure', async () => {
    const code = 'throw new Error(String(Math.random()))';
    await using stage = dynamicCodeStage([inCode(code), inCode(code)]);
    const { result, events, artifacts } = await stage.ask();
    assert.equal(result.error?.code, 'skill.failed');
    assert.equal(artifacts.length, 1);
    assert.equal(events.filter(({ type }) => type === 'step.started').length, 1);
  });

  test('is not an answer at all in three turns: the failure is that of the model', async () => {
    await using stage = dynamicCodeStage(['Well.', '[]', '{"mode": "song"}']);
    const { result } = await stage.ask();
    assert.equal(result.error?.code, 'model.bad-answer');
    assert.equal(stage.model.requests.length, 3);
  });
});

describe('a value that has to fit', () => {
  const output = 'output: {type: object, properties: {sum: {type: number}}, required: [sum]}';

  test('is told to the model, and checked', async () => {
    await using stage = dynamicCodeStage([inCode('return { sum: "3" }'), inCode('return { sum: 3 }')], {
      head: [output],
    });
    assert.deepEqual((await stage.ask()).result.value, { sum: 3 });
    const [first, second] = stage.model.requests;
    assert.match(first?.system ?? '', /must match this JSON Schema.*"sum"/s);
    assert.match(second?.messages.at(-1)?.text ?? '', /sum must be a number, not a string/);
  });

  test('may be the text, or the JSON in it', async () => {
    await using stage = dynamicCodeStage(
      [inText('{"sum": 4}'), inText('about four'), inCode('return { sum: 5 }')],
      {
        head: [output],
      },
    );
    assert.deepEqual((await stage.ask()).result.value, { sum: 4 });
    assert.deepEqual((await stage.ask()).result.value, { sum: 5 });
  });

  test('is what the caller wants, and checks', async () => {
    const check = (value: unknown): string => {
      if (value === 'red') throw new Error('Not red.');
      return `${String(value)}!`;
    };
    await using stage = dynamicCodeStage([inCode('return "red"'), inCode('return "blue"')], {
      head: [output],
      skills: {
        caller: async (_input, scope) =>
          scope.call('dynamic', 'Go.', { overrides: { result: { type: 'string' }, check } }),
      },
    });
    const { text, value } = await stage.agent.run({ skill: 'caller' }).result;
    assert.deepEqual([text, value], ['blue!', 'blue!']);
    assert.match(stage.model.requests[1]?.messages.at(-1)?.text ?? '', /Not red\./);
  });

  test('fails the skill when it does not fit twice', async () => {
    await using stage = dynamicCodeStage([inCode('return 1'), inCode('return 2')], { head: [output] });
    const { result } = await stage.ask();
    assert.equal(result.error?.code, 'skill.failed');
    assert.match(result.error?.message ?? '', /in two tries: Invalid answer/);
  });
});
