import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CatalogQuery } from '../../core/skill.ts';
import type { Skill } from '../../core/skill.ts';
import { buildCatalog } from '../../skills/catalog/catalog.ts';
import { createTestScope } from '../../testing/test-scope.ts';
import { offerTools, type OfferRequest } from './offer-tools.ts';
import type { LoopTool } from './tools.ts';

function skill(name: string, more: Partial<Skill> = {}): Skill {
  return {
    name,
    aliases: [`${more.source ?? 'project'}:${name}`],
    family: 'code',
    source: 'project' as const,
    root: '',
    dir: `/s/${name}`,
    file: `/s/${name}/x.md`,
    status: 'ready' as const,
    issues: [],
    card: { description: `Is for ${name}.` },
    ...more,
  };
}

const guide = (name: string, more: Partial<Skill> = {}): Skill => skill(name, { family: 'guide', ...more });

/** Returns the tools for these skills, and the number of catalogs that were built. */
async function offer(
  callable: readonly Skill[],
  request: OfferRequest = {},
  own: Partial<Skill> = {},
): Promise<{
  tools: () => Promise<readonly LoopTool[]>;
  queries: CatalogQuery[];
  set: (now: readonly Skill[]) => void;
}> {
  const queries: CatalogQuery[] = [];
  let current = callable;
  const scope = createTestScope({
    skill: own,
    isLoadable: ({ family }) => family === 'guide',
    catalog: (query = {}) => {
      queries.push(query);
      return Promise.resolve(
        buildCatalog(
          current.filter(({ family }) => family === 'guide'),
          { limits: query },
        ),
      );
    },
    call: (name, input, options) => ({
      status: 'done',
      text: JSON.stringify([name, input, options?.mode ?? '']),
    }),
  });
  Object.defineProperty(scope.skills, 'callable', { get: () => current });
  return {
    tools: await offerTools(scope, request),
    queries,
    set: (now) => {
      current = now;
    },
  };
}

const names = (tools: readonly LoopTool[]): readonly string[] => tools.map(({ name }) => name);
const said = async (tool: LoopTool | undefined, input: object): Promise<string> =>
  (await tool?.call(input as never, 'k', () => false))?.text ?? '';

describe('the tools over what a skill may call', () => {
  test('are one for all skills that can be loaded, and one for each other', async () => {
    const { tools } = await offer([guide('b'), skill('z'), guide('a'), skill('y')]);
    assert.deepEqual(names(await tools()), ['skill', 'y', 'z']);
  });

  test('are one for each skill of an explicit list, also for those that could be loaded', async () => {
    const card = { description: '', allowedSkills: ['b', 'z'] };
    const { tools, queries } = await offer([guide('b'), skill('z')], {}, { card });
    assert.deepEqual(names(await tools()), ['b', 'z']);
    assert.deepEqual(queries, []);
    assert.equal(await said((await tools())[0], { input: 'x' }), '["b","x",""]');
  });

  test('have no tool for skills if there is none to load, or none is wanted', async () => {
    assert.deepEqual(names(await (await offer([skill('z')])).tools()), ['z']);
    assert.deepEqual(names(await (await offer([skill('z'), guide('a')], { skills: 'none' })).tools()), ['z']);
  });

  test('are the same list until something changes, and follow what does', async () => {
    const all = [guide('a'), guide('b'), skill('y'), skill('z')];
    const { tools, queries, set } = await offer(all, { request: 'the task' });
    const first = await tools();
    set([...all]);
    assert.equal(await tools(), first);
    set(all.filter(({ name }) => name !== 'y'));
    assert.deepEqual(names(await tools()), ['skill', 'z']);
    assert.equal(queries.length, 1, 'the same skills need no other catalog');
    set([...all, guide('c')]);
    const [more] = await tools();
    assert.match(more?.description ?? '', /<name>c<\/name>/);
    assert.equal(queries[0]?.request, 'the task');
    set([skill('z')]);
    assert.deepEqual(names(await tools()), ['z']);
  });

  test('are 64 of their own at most: what is near first; the rest is reached through the one', async () => {
    const many = Array.from({ length: 70 }, (_, index) => skill(`s${String(index).padStart(2, '0')}`));
    const near = [skill('zoom', { source: 'bundled' }), skill('zap', { codeDefinition: {} })];
    const { tools, queries } = await offer([...many, ...near]);
    const all = await tools();
    assert.deepEqual([all.length, ...names(all).slice(0, 4)], [65, 'skill', 'zap', 'zoom', 's00']);
    assert.match(all[0]?.description ?? '', /include s62, s63, s64, s65, s66, s67, s68, s69\./);
    assert.deepEqual(queries, [], 'none of them can be loaded');
    assert.equal(await said(all[0], { name: 's69', args: 'x' }), '["s69","x",""]');
  });

  test('are in the order of fit where that is given, also with an explicit list, and the search keeps its room', async () => {
    const many = Array.from({ length: 70 }, (_, index) => skill(`s${String(index).padStart(2, '0')}`));
    const search = skill('find-skills', {
      card: { description: '', label: 'FindSkills' },
      source: 'bundled',
    });
    const card = { description: '', allowedSkills: [...many, search].map(({ name }) => name).concat('g') };
    const bestFirst = ['s69', 's05'];
    const { tools } = await offer([...many, search, guide('g')], { bestFirst }, { card });
    const all = await tools();
    assert.deepEqual(names(all).slice(0, 5), ['skill', 'find-skills', 's69', 's05', 's00']);
    assert.equal(all.length, 65);
    assert.match(all[0]?.description ?? '', /include s62, [^]*s68\.[^]*<name>g<\/name>/);
    assert.equal(await said(all[0], { name: 'g' }), '["g",null,"load"]');
  });

  test('are described in 8,000 characters at most', async () => {
    const guides = Array.from({ length: 300 }, (_, index) => guide(`guide-${index}`));
    const others = Array.from({ length: 400 }, (_, index) => skill(`another-skill-${index}`));
    const { tools } = await offer([...guides, ...others]);
    const description = (await tools())[0]?.description ?? '';
    assert.ok(description.length <= 8_000 && description.length > 7_500, `${description.length}`);
    assert.match(description, /and \d+ more\.\n\n[^]*skills shown/);
  });

  test('keep the name of the one tool for it', async () => {
    const { tools } = await offer([guide('a'), skill('skill')]);
    assert.match(names(await tools()).join(), /^skill,skill-[0-9a-f]{8}$/);
  });

  test('reach namesakes by the names that tell them apart', async () => {
    const { tools } = await offer([guide('pdf'), skill('pdf', { source: 'user' })]);
    const [one, other] = await tools();
    assert.equal(await said(one, { name: 'pdf' }), '["project:pdf",null,"load"]');
    assert.equal(await said(other, { input: 'x' }), '["user:pdf","x",""]');
    const twins = await offer([guide('pdf'), guide('pdf', { source: 'user' })]);
    const [tool] = await twins.tools();
    await assert.rejects(said(tool, { name: 'pdf' }), {
      code: 'usage.bad-input',
      hint: /project:pdf, user:pdf/,
    });
    assert.equal(await said(tool, { name: 'user:pdf' }), '["user:pdf",null,"load"]');
  });

  test('let no result become a part of a command', async () => {
    const many = Array.from({ length: 64 }, (_, index) => skill(`a${index}`));
    const shell = skill('shell', { card: { description: '', runsProcesses: true } });
    const [tool] = await (await offer([...many, shell, guide('g')])).tools();
    const literal = tool?.literal;
    assert.ok(typeof literal === 'function');
    assert.deepEqual([literal({ name: 'shell' }), literal({ name: 'g' }), literal(7)], [true, false, false]);
  });
});
