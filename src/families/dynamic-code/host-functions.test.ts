import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dynamicCodeStage, inCode } from '../../../test/support/dynamic-code-stage.ts';
import { askAbout, done, ofType, type TestSkill } from '../../../test/support/kernel.ts';

const skills: Readonly<Record<string, TestSkill>> = {
  rate: { allowedSkills: [], description: 'Gives a rate.', run: (input) => done('', { of: input, rate: 2 }) },
  word: { allowedSkills: [], run: () => done('a word') },
  broken: {
    allowedSkills: [],
    run: () => {
      throw new Error('It is broken.');
    },
  },
};

describe('the code of a dynamic code skill', () => {
  test('calls no skill unless its file names some', async () => {
    await using stage = dynamicCodeStage([inCode('return [typeof call, typeof rate]')], { skills });
    const { result, events } = await stage.ask();
    assert.deepEqual(result.value, ['undefined', 'undefined']);
    assert.doesNotMatch(stage.model.requests[0]?.system ?? '', /call\(/);
    assert.equal(ofType(events, 'frame.started')[0]?.leaf, true);
  });

  test('calls the skills that its file names, each in a frame of its own', async () => {
    const code =
      'const [a, b] = await Promise.all([call("rate", input), call("word")]); return [a.of + a.rate, b]';
    await using stage = dynamicCodeStage([inCode(code)], {
      skills,
      sections: { 'Allowed Skills': '- rate\n- Word' },
    });
    const { result, events, artifacts } = await stage.ask(40);
    assert.deepEqual(result.value, [42, 'a word']);
    const frames = ofType(events, 'frame.started').map(({ skill, depth }) => `${skill} ${depth}`);
    assert.deepEqual(frames.sort(), ['dynamic 1', 'rate 2', 'word 2']);
    assert.match(stage.model.requests[0]?.system ?? '', /- "rate": Gives a rate\./);
    assert.deepEqual((artifacts[0]?.data as { functions?: unknown }).functions, ['call']);
  });

  test('is refused every other skill, and may continue', async () => {
    const names = ['word', 'dynamic', 'read', 'no-such-skill', 'constructor'];
    const code = `const said = [];
for (const name of ${JSON.stringify(names)}) {
  try { said.push(await call(name, null)) } catch (error) { said.push(error.message) }
}
return said`;
    await using stage = dynamicCodeStage([inCode(code)], {
      skills,
      sections: { 'Allowed Skills': '- rate' },
    });
    const { result, events } = await stage.ask();
    const said = result.value as readonly string[];
    assert.match(said[0] ?? '', /"dynamic" may not call "word"/);
    assert.equal(said.length, names.length);
    assert.equal(ofType(events, 'call.refused').length, names.length);
    assert.equal(ofType(events, 'frame.started').length, 1);
  });

  test('gets the message of a call that failed, and its line', async () => {
    await using stage = dynamicCodeStage([inCode('\nreturn call("broken")'), inCode('return call(7)')], {
      skills,
      sections: { 'Allowed Skills': '- broken' },
    });
    const { result } = await stage.ask();
    assert.match(stage.model.requests[1]?.messages.at(-1)?.text ?? '', /in line 2: Error: It is broken\./);
    assert.match(result.error?.message ?? '', /call\(name, input\) needs the name of a skill/);
  });

  test('calls skills that run code themselves, many at once', async () => {
    const doubles: TestSkill = async (input, scope) =>
      done('', (await scope.processes.runSnippet({ code: 'return input * 2', input })).value);
    await using stage = dynamicCodeStage(() => inCode('return await call("doubles", input)'), {
      skills: { doubles },
      sections: { 'Allowed Skills': '- doubles' },
    });
    const asked = await Promise.all(Array.from({ length: 12 }, (_, number) => stage.ask(number)));
    assert.deepEqual(
      asked.map(({ result }) => result.value),
      Array.from({ length: 12 }, (_, number) => number * 2),
    );
  });

  test('waits when somebody has to allow a call, and continues after that', async () => {
    const code = 'return [await call("rate", 1), await call("word")]';
    await using stage = dynamicCodeStage([inCode(code)], {
      skills,
      sections: { 'Allowed Skills': '- rate\n- word' },
      policy: askAbout('word'),
    });
    const { result } = await stage.ask();
    assert.equal(result.status, 'waiting');
    const [asked] = await stage.agent.runs.pending();
    await stage.agent.runs.approve(result.runId, asked?.id ?? '', { allow: 'once' });
    const ended = await stage.agent.runs.resume(result.runId).result;
    assert.deepEqual(ended.value, [{ of: 1, rate: 2 }, 'a word']);
    const events = await stage.agent.runs.events(result.runId);
    assert.equal(ofType(events, 'frame.started').length, 3, 'the call before it was made once');
    assert.equal(ofType(events, 'artifact.created').length, 1);
    assert.equal(stage.model.requests.length, 1);
  });
});
