import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { call } from '../../../test/support/loop-stage.ts';
import type { Output } from '../../core/run.ts';
import type { Skill } from '../../core/skill.ts';
import { createScriptedModel, type ScriptedModel } from '../../models/scripted.ts';
import { createTestScope } from '../../testing/test-scope.ts';
import { orchestrator } from './index.ts';

const skill = (name: string, more: Partial<Skill> = {}): Skill => ({
  name,
  aliases: [],
  family: 'code',
  source: 'project' as const,
  status: 'ready' as const,
  issues: [],
  root: '',
  dir: `/s/${name}`,
  file: `/s/${name}/x.md`,
  card: { description: `Does ${name}.` },
  ...more,
});

const callable = [
  skill('bash', { source: 'bundled' }),
  skill('weather'),
  skill('guide', { family: 'text' }),
  skill('translate'),
];

/** Runs the orchestrator that is created for a prompt, with these skills. Only `translate` fits best. */
async function answer(session: 'loop' | 'sop', plan: ScriptedModel): Promise<Output> {
  const [, weather, guide, translate] = callable;
  const skills = [translate, weather, guide].filter((one) => one !== undefined);
  const definition = orchestrator.prompts?.assistant?.({ goal: 'Say it in French.', skills, session });
  const scope = createTestScope({
    skill: { card: { description: '', allowedSkills: callable.map(({ name }) => name) } },
    callable,
    isLoadable: ({ family }) => family === 'text',
    catalog: () => Promise.resolve({ text: '<catalog>', shown: 1, omitted: [] }),
    call: (name) => ({ status: 'done', text: `by ${name}` }),
    models: { plan },
  });
  return orchestrator.execute(definition, 'Say it in French.', scope);
}

describe('an orchestrator that is made for one prompt', () => {
  test('has what fits best as its first tools, and texts through one, although it has a list', async () => {
    const model = createScriptedModel([{ calls: [call('translate')] }, 'Bonjour.']);
    assert.equal((await answer('loop', model)).text, 'Bonjour.');
    const [{ tools = [], system = '' } = {}] = model.requests;
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['skill', 'translate', 'weather', 'bash'],
    );
    assert.match(system, /If none fits, say clearly/);
  });

  test('has 40 steps, and the error names both ways to allow more', async () => {
    const model = createScriptedModel((_request, turn) => ({
      calls: [call('weather', { input: `${turn}` })],
    }));
    const output = await answer('loop', model);
    assert.equal(output.status === 'failed' && output.error.code, 'limit.steps');
    assert.equal(model.requests.length, 40);
    const hint = output.status === 'failed' ? (output.error.hint ?? '') : '';
    assert.ok(hint.includes('--max-steps') && hint.includes('maxTicks'), hint);
  });

  test('may plan, over all skills, what fits best first', async () => {
    const model = createScriptedModel(['@a translate "Hello."\n@b final_answer $a']);
    const output = await answer('sop', model);
    assert.equal(output.text, 'by translate');
    assert.deepEqual(Object.keys(output.status === 'done' ? (output.variables ?? {}) : {}), ['a', 'b']);
    const system = model.requests[0]?.system ?? '';
    assert.match(system, /\n- translate [^\n]*\n- weather [^\n]*\n- guide [^\n]*\n- bash [^\n]*$/);
  });
});
