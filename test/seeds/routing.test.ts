import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { assistantName } from '../../src/core/names.ts';
import type { Json } from '../../src/core/json.ts';
import type { RunResult } from '../../src/core/run.ts';
import { codeOf, done, ofType } from '../support/kernel.ts';
import { call, leaf, userTexts } from '../support/loop-stage.ts';
import { orchestratorStage, type OrchestratorStage } from '../support/orchestrator-stage.ts';
import { tree } from '../support/tree.ts';

const trips = {
  Description: 'Books trains, hotels and flights for business trips.',
  Session: 'loop',
  'Allowed Skills': '- trains',
};
const skills = {
  trains: leaf(() => done('At nine.'), { description: 'Says when trains leave.' }),
  weather: leaf(() => done('Rain.'), { description: 'Tells the weather of a city.' }),
  plants: leaf(() => done('Watered.'), { description: 'Waters the plants in the office.' }),
};
const booking = 'Book a hotel and a flight for my business trip.';
const unrelated = 'Hum a melody in the key of blue.';

interface Way {
  /** The events of the selection, as text. */
  readonly chosen: readonly string[];
  /** The skill and the input of the first frame. */
  readonly first: readonly [string, Json] | undefined;
}

/** Returns how a prompt selected its skill. */
async function wayOf({ agent }: OrchestratorStage, { runId }: RunResult): Promise<Way> {
  const events = await agent.runs.events(runId);
  const chosen = events.flatMap((event) => {
    if (event.type === 'candidates.ranked') return [`${event.among} ranked`];
    return event.type === 'skill.selected' ? [`${event.skill} by ${event.by}`] : [];
  });
  const [frame] = ofType(events, 'frame.started');
  return { chosen, first: frame && [frame.skill, frame.input] };
}

describe('a prompt with the name of a skill', () => {
  const files = {
    '.agents/skills/stock/tskill.md':
      '# Stock\n\n## Table Purpose\n\nWhat is in stock.\n\n## Fields\n\n### name\n\nText.\n',
    '.agents/skills/sums/dcgskill.md': '# Sums\n\n## Prompt\n\nAdd it up.\n',
  };

  for (const [what, skillName, args, given] of [
    ['under the argument that the family of tables declares', 'stock', undefined, { prompt: 'How many?' }],
    [
      'under the argument that the family of written code declares',
      'sums',
      undefined,
      { input: 'How many?' },
    ],
    ['beside other arguments', 'sums', { limit: 3 }, { limit: 3, input: 'How many?' }],
    ['not where the caller gave that argument', 'stock', { prompt: 'List all.' }, { prompt: 'List all.' }],
    ['as it is, where no family declares an argument', 'weather', undefined, 'How many?'],
  ] as const) {
    test(`goes straight to that skill, with the prompt ${what}`, async () => {
      await using on = orchestratorStage({ trips }, [], { skills, files });
      const options = { skillName, ...(args === undefined ? {} : { args }) };
      const result = await on.agent.executePrompt('How many?', options);
      assert.deepEqual(await wayOf(on, result), {
        chosen: [`${skillName} by name`],
        first: [skillName, given],
      });
      assert.equal(on.model.requests.length, skillName === 'sums' ? 1 : 0); // this skill asks a model itself
    });
  }

  test('gives a skill with named parts the prompt under its name for words', async () => {
    const echo = leaf<{ input: string }>(({ input }) => done(input), {
      input: z.object({ input: z.string() }),
    });
    await using on = orchestratorStage({}, [], { skills: { echo } });
    assert.equal((await on.agent.executePrompt('Hello.', { skillName: 'echo' })).text, 'Hello.');
  });

  test('may use any of its names', async () => {
    await using on = orchestratorStage({ trips }, ['Booked.']);
    const { skill, text } = await on.agent.executePrompt('x', { skillName: 'TRIPS' });
    assert.deepEqual([skill, text], ['trips', 'Booked.']);
  });

  test('that does not exist is not found, and the nearest names are listed', async () => {
    await using on = orchestratorStage({}, [], { skills });
    const { ok, error } = await on.agent.executePrompt('x', { skillName: 'wether' });
    assert.deepEqual([ok, error?.code], [false, 'skill.not-found']);
    assert.match(`${error?.message} ${error?.hint}`, /weather/);
  });
});

describe('a prompt without a name', () => {
  test('goes to the orchestrator that fits it, before any other skill is looked at', async () => {
    await using on = orchestratorStage({ trips }, ['Booked.'], { skills });
    const result = await on.agent.executePrompt(booking);
    assert.deepEqual(await wayOf(on, result), {
      chosen: ['routers ranked', 'trips by ranking'],
      first: ['trips', booking],
    });
    assert.equal(result.text, 'Booked.');
  });

  test('that fits two orchestrators alike is decided by one question to the model for plans, which may refuse both', async () => {
    const twins = {
      north: { ...trips, Description: 'Books hotels and flights for trips to the north.' },
      south: { ...trips, Description: 'Books hotels and flights for trips to the south.' },
    };
    const prompt = 'Book hotels and flights for trips.';
    for (const [said, chosen] of [
      ['south', 'south by model'],
      ['none', `${assistantName} by ad-hoc`],
    ] as const) {
      await using on = orchestratorStage(twins, [said, 'Booked.'], { skills });
      const result = await on.agent.executePrompt(prompt);
      assert.equal((await wayOf(on, result)).chosen.at(-1), chosen);
      assert.deepEqual([result.text, on.model.requests.length], ['Booked.', 2]);
      assert.match(userTexts(on.model.requests[0]).join(), /- north: [^]*- south: [^]*Book hotels/);
    }
  });

  test('that fits nothing is answered with that if there is no model, and the nearest skills are named', async () => {
    await using on = orchestratorStage({ trips }, [], { skills, models: { model: () => undefined } });
    const result = await on.agent.executePrompt(unrelated);
    assert.deepEqual([result.ok, codeOf(result)], [false, 'skill.not-found']);
    assert.equal((await wayOf(on, result)).first, undefined);
  });

  test('that fits no orchestrator is carried out step by step with the other skills, none of which orchestrates', async () => {
    const script = [{ calls: [call('weather')] }, 'It rains.'];
    await using on = orchestratorStage({ trips }, script, { skills, exposeInternalSkills: false });
    const result = await on.agent.executePrompt(unrelated);
    assert.equal(result.text, 'It rains.');
    assert.deepEqual((await wayOf(on, result)).chosen, [
      'routers ranked',
      'workers ranked',
      `${assistantName} by ad-hoc`,
    ]);
    const offered = (on.offered()[0] ?? []).filter((name) => name !== 'skill');
    assert.deepEqual(offered.sort(), ['plants', 'weather']);
    const frames = ofType(await on.agent.runs.events(result.runId), 'frame.started');
    assert.deepEqual(
      frames.map(({ skill, family, depth }) => `${depth} ${skill} ${family}`),
      [`1 ${assistantName} orchestrator`, '2 weather function'],
    );
  });

  test('that fits none has only a limited number of steps, and no way beyond the skills it is offered', async () => {
    const script = (_request: unknown, turn: number) => ({
      calls: [call(turn === 1 ? 'trips' : 'weather', { input: `${turn}` })],
    });
    await using on = orchestratorStage({ trips }, script, { skills, exposeInternalSkills: false });
    const result = await on.agent.executePrompt(unrelated);
    assert.equal(codeOf(result), 'limit.steps');
    const frames = ofType(await on.agent.runs.events(result.runId), 'frame.started');
    assert.ok(!frames.some(({ skill }) => skill === 'trips'));
  });

  test('that fits none is carried out by a plan where that is configured', async () => {
    await using on = orchestratorStage({ trips }, ['@sky weather Oslo\n@said final_answer $sky'], {
      skills,
      fallbackSessionType: 'sop',
      exposeInternalSkills: false,
    });
    const { text, variables } = await on.agent.executePrompt(unrelated);
    assert.equal(text, 'Rain.');
    assert.deepEqual(Object.keys(variables ?? {}), ['sky', 'said']);
    const [{ system = '', tools = [] } = {}] = on.model.requests;
    assert.deepEqual(tools, []);
    assert.deepEqual(
      [...system.matchAll(/^- (weather|plants|trains|trips)\b/gm)].map(([, name]) => name).sort(),
      ['plants', 'weather'],
    );
  });
});

describe('the skills of the package', () => {
  test('are among what a prompt may be carried out with, unless they are hidden', async () => {
    for (const exposeInternalSkills of [true, false]) {
      await using on = orchestratorStage({}, ['No.'], { skills, exposeInternalSkills });
      await on.agent.executePrompt(unrelated);
      assert.equal(on.offered()[0]?.includes('grep'), exposeInternalSkills);
    }
  });

  test('that are hidden are never the choice of a ranking or a plan, and are still called by name', async () => {
    using folder = tree({ 'note.txt': 'Buy milk.' });
    await using on = orchestratorStage({}, ['@a grep milk\n@b final_answer $a', '@b final_answer no'], {
      skills,
      exposeInternalSkills: false,
      fallbackSessionType: 'sop',
      workspace: folder.path,
    });
    const searched = await on.agent.executePrompt('Search the files for milk with grep.');
    const events = await on.agent.runs.events(searched.runId);
    const ranked = ofType(events, 'candidates.ranked').flatMap(({ candidates }) => candidates);
    assert.ok(!ranked.some(({ skill }) => skill === 'grep'));
    assert.ok(!ofType(events, 'frame.started').some(({ skill }) => skill === 'grep'));
    const read = await on.agent.executePrompt('', { skillName: 'read', args: { file_path: 'note.txt' } });
    assert.match(read.text, /Buy milk\./);
  });

  test('that are hidden are there for an orchestrator that lists them', async () => {
    const scribe = { Session: 'loop', 'Allowed Skills': '- read' };
    await using on = orchestratorStage({ scribe }, ['ok'], { exposeInternalSkills: false });
    await on.agent.executePrompt('x', { skillName: 'scribe' });
    assert.deepEqual(on.offered(), [['read']]);
  });
});
